package dynamic

_isNotDistinct = (a, b) => display(v: a) == display(v: b)
