/** The headers of a current Chromium inside the player's frame, behind one proxy that ends TLS. */
const BROWSER_HEADERS = [
  'Host: login.example.com',
  'X-Forwarded-Proto: https',
  'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"',
  'sec-ch-ua-mobile: ?0',
  'sec-ch-ua-platform: "Windows"',
  'Upgrade-Insecure-Requests: 1',
  'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-Dest: iframe',
]

const OWN_SITE = ['Sec-Fetch-Site: same-origin', 'Referer: https://login.example.com/']

/** @param cookie `name=value`, or null. */
export function getRequest(index: number, cookie: string | null, path = '/'): Buffer {
  return Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      ...BROWSER_HEADERS,
      'Sec-Fetch-Site: cross-site',
      'Referer: https://player.example/',
      `X-Forwarded-For: ${addressOf(index)}`,
      ...(cookie === null ? [] : [`Cookie: ${cookie}`]),
      '\r\n',
    ].join('\r\n'),
  )
}

/** A page that loads another page of the app. */
export function ownRequest(index: number, path: string): Buffer {
  const lines = [`GET ${path} HTTP/1.1`, ...BROWSER_HEADERS, ...OWN_SITE, `X-Forwarded-For: ${addressOf(index)}`]
  return Buffer.from([...lines, '\r\n'].join('\r\n'))
}

export function signInRequest(index: number, username: string, password: string): Buffer {
  return postRequest(index, '/sign-in', { username, password })
}

/** A form of the app. */
export function postRequest(index: number, path: string, fields: Readonly<Record<string, string>>): Buffer {
  const form = new URLSearchParams(fields).toString()
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      ...BROWSER_HEADERS,
      ...OWN_SITE,
      'Origin: https://login.example.com',
      `X-Forwarded-For: ${addressOf(index)}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      '',
      form,
    ].join('\r\n'),
  )
}

/** Returns one of 50,000 addresses. */
function addressOf(index: number): string {
  const host = index % 50_000
  return `10.7.${Math.floor(host / 250)}.${(host % 250) + 1}`
}
