/**
 * The body of a response as UTF-8.
 * @throws when it is longer than `maxBytes`: a server may send without end
 */
export async function responseText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let length = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
