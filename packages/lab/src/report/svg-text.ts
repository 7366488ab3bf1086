// Text in pictures: escaping, estimated widths (there is no font to measure with), shortening and line breaks.

/** For text and attribute values of SVG and HTML. Control characters, which XML forbids, become blanks. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\P{Cc}\n\t]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** An upper estimate for common sans-serif fonts, in pixels. */
export function textWidth(text: string, fontSize: number): number {
  let width = 0
  for (const character of text)
    width += /[\p{Script=Han}\p{Emoji_Presentation}]/u.test(character)
      ? 1.05
      : /[mwMW@%]/.test(character)
        ? 0.9
        : /[iljtfrI.,:;'|()[\] -]/.test(character)
          ? 0.38
          : 0.62
  return width * fontSize
}

/** Shortened in the middle, so that names that differ at the end stay apart. */
export function shorten(text: string, maxLength: number): string {
  const characters = [...text]
  if (characters.length <= maxLength) return text
  const tail = Math.floor((maxLength - 1) / 2)
  return `${characters.slice(0, maxLength - 1 - tail).join('')}…${characters.slice(-tail).join('')}`
}

/** Lines no wider than `width` pixels, broken between words; a word that is wider alone is broken inside. */
export function wrapText(text: string, width: number, fontSize: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ').flatMap((one) => pieces(one, width, fontSize))) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(`${last} ${word}`, fontSize) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function pieces(word: string, width: number, fontSize: number): readonly string[] {
  const parts = ['']
  for (const character of word) {
    const longer = parts.at(-1)! + character
    if (parts.at(-1) !== '' && textWidth(longer, fontSize) > width) parts.push(character)
    else parts[parts.length - 1] = longer
  }
  return parts
}
