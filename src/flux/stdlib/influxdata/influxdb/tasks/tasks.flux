package tasks

option lastSuccessTime = _zeroTime

lastSuccess = (orTime) => _lastSuccess(orTime: orTime, lastSuccessTime: lastSuccessTime)
