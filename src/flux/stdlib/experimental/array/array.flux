// The package `experimental/array`: the functions of `array`, and conversions of whole arrays.

package array

toBool = (arr=<-) => map(arr: arr, fn: (x) => bool(v: x))
toDuration = (arr=<-) => map(arr: arr, fn: (x) => duration(v: x))
toFloat = (arr=<-) => map(arr: arr, fn: (x) => float(v: x))
toInt = (arr=<-) => map(arr: arr, fn: (x) => int(v: x))
toString = (arr=<-) => map(arr: arr, fn: (x) => string(v: x))
toTime = (arr=<-) => map(arr: arr, fn: (x) => time(v: x))
toUInt = (arr=<-) => map(arr: arr, fn: (x) => uint(v: x))
