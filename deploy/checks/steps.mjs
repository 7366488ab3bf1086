// The commands of a document, in order: blocks of kind sh, with what they need beside Node.

import { readFileSync } from 'node:fs'

/** Steps {heading, needs, text}; `needs` is null where nothing is needed. */
export function stepsOf(path) {
  const steps = []
  let heading = ''
  for (const [, title, needs, text] of readFileSync(path, 'utf8').matchAll(
    /^#+ (.*)$|^```sh(?: needs: (.*))?\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) heading = title
    else steps.push({ heading, needs: needs ?? null, text })
  }
  return steps
}
