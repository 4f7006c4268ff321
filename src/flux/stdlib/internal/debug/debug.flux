package debug

option vectorize = false
