package sampledata

start = 2021-01-01T00:00:00Z
stop = 2021-01-01T00:01:00Z
