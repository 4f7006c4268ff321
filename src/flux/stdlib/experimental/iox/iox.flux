package iox

sqlInterval = (d) => _sqlInterval(d: string(v: d))
