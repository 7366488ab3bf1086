// The page around a report: one file that asks for nothing else, with its data inside as JSON.

import { reportStyle } from './html-style.js'
import { escapeMarkup } from './svg-text.js'

export interface HtmlPage {
  readonly title: string
  /** HTML under the title. */
  readonly header: string
  /** HTML of the tables and figures. */
  readonly main: string
  /** The command that made it. */
  readonly command: string
  readonly version: string
  /** JSON-safe; readable from the element `primo-run`. */
  readonly data: unknown
}

export function htmlPage({ title, header, main, command, version, data }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="generator" content="Primo ${escapeMarkup(version)}">
<title>${escapeMarkup(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<header>
<h1>${escapeMarkup(title)}</h1>
${header}
</header>
<main>
${main}
</main>
<footer>
<h2>How this was made</h2>
<pre tabindex="0"><code>${escapeMarkup(command)}</code></pre>
<p class="note">Primo ${escapeMarkup(version)}. The same command gives the same numbers. The figures of this page are inside it as
JSON, in the element with the id <code>primo-run</code>.</p>
</footer>
<script type="application/json" id="primo-run">${embeddedJson(data)}</script>
</body>
</html>
`
}

/** JSON that cannot end the script element it stands in. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
