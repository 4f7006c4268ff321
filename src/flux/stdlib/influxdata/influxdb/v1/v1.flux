package v1

import "influxdata/influxdb/schema"

fieldKeys = schema.fieldKeys
fieldsAsCols = schema.fieldsAsCols
measurementFieldKeys = schema.measurementFieldKeys
measurements = schema.measurements
measurementTagKeys = schema.measurementTagKeys
measurementTagValues = schema.measurementTagValues
tagKeys = schema.tagKeys
tagValues = schema.tagValues
