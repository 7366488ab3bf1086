// A spreadsheet takes text that begins with = + - @ or a control character for a formula and runs it. An apostrophe in front makes it
// text; reading takes the apostrophe away, so that a log comes back as it was.

export function guardText(text: string): string {
  return /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

export function unguardText(text: string): string {
  return /^'+[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}
