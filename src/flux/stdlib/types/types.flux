package types

isNumeric = (v) =>
    isType(v: v, type: "float") or isType(v: v, type: "int") or isType(v: v, type: "uint")
