// docs/errors.md has one row for each code of the contract, as the contract says it. `npx vitest run test/errors.test.ts -u`
// writes the table anew.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errors } from '@primo/contract'
import { expect, test } from 'vitest'

const path = join(import.meta.dirname, '../docs/errors.md')

function page(): string {
  const rows = Object.entries(errors).map(
    ([code, { status, title, remedy }]) => `| \`${code}\` | ${status} | ${title} | ${remedy} |`,
  )
  return `# Errors of the service

Every refusal is \`application/problem+json\` (RFC 9457): \`{type, title, status, code, detail, instance}\`. \`code\` is stable;
\`detail\` is a sentence that names the field and the value; \`instance\` is the request's id in the service's log. A refused call
has changed nothing (for \`store-unavailable\` see its row). In a batch, each refused item is \`{error}\` with the same fields.

| code | status | meaning | what to do |
|---|---|---|---|
${rows.join('\n')}
`
}

test('docs/errors.md says of every code what the contract says', async () => {
  await expect(page()).toMatchFileSnapshot(path)
  // Without -u a difference fails above; with it the file must now be readable as written.
  expect(readFileSync(path, 'utf8')).toBe(page())
})
