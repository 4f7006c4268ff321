package requests

import "array"

_emptyBody = bytes(v: "")

option defaultConfig = {timeout: 0s, insecureSkipVerify: false}

do = (method, url, params=[:], headers=[:], body=_emptyBody, config=defaultConfig) =>
    _do(method, url, params, headers, body, config)

post = (url, params=[:], headers=[:], body=_emptyBody, config=defaultConfig) =>
    do(
        method: "POST",
        url: url,
        params: params,
        headers: headers,
        body: body,
        config: config,
    )

get = (url, params=[:], headers=[:], body=_emptyBody, config=defaultConfig) =>
    do(
        method: "GET",
        url: url,
        params: params,
        headers: headers,
        body: body,
        config: config,
    )

peek = (response) =>
    array.from(
        rows: [
            {
                statusCode: response.statusCode,
                body: string(v: response.body),
                headers: display(v: response.headers),
                duration: int(v: response.duration),
            },
        ],
    )
