// The texts of the objects of a list in a JSON text that has been parsed, without making them anew. They are found by
// counting brackets, in a body that is a list and nothing else: {"decisions":[{...},{...}]}.

/** undefined: the body does not look like that. `count`: how many elements the list has. */
export function listTexts(body: string, field: string, count: number): readonly string[] | undefined {
  const start = body.indexOf('[')
  if (start < 0 || body.slice(0, start).replace(/\s/g, '') !== `{"${field}":`) return undefined
  const texts: string[] = []
  let depth = 0
  let from = -1
  let at = start + 1
  for (; at < body.length; at++) {
    const code = body.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(body, at)
    } else if (code === OPEN || code === OPEN_LIST) {
      if (depth++ === 0) from = at
    } else if (code === CLOSE || code === CLOSE_LIST) {
      if (depth === 0) break
      if (--depth === 0) texts.push(body.slice(from, at + 1))
    }
  }
  return texts.length === count && body.slice(at).replace(/\s/g, '') === ']}' ? texts : undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

/** Where the text that begins here ends. */
function endOfText(body: string, start: number): number {
  let at = start + 1
  for (let code = body.charCodeAt(at); code !== QUOTE; code = body.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1
  return at
}
