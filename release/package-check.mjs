// Whether the tarballs of out/packages hold what their manifests promise, as publint and "Are the types wrong?" see it, for ESM.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/** Ways of importing that packages of ESM alone do not offer. */
const NOT_OFFERED = ['node10', 'node16-cjs']
/** What a package needs to be found and trusted. */
const FIELDS = ['description', 'keywords', 'license', 'engines', 'sideEffects', 'exports', 'files', 'publishConfig']

/** Sources that maps name and the tarball does not hold; also those of files that were compiled once and are no longer. */
function sourcesLeftOut(contents) {
  const maps = contents.listFiles().filter((file) => file.endsWith('.map'))
  return maps
    .flatMap((map) =>
      JSON.parse(contents.readFile(map)).sources.map((source) => posix.join(posix.dirname(map), source)),
    )
    .filter((source) => !contents.fileExists(source))
}

const packed = join(dirname(dirname(fileURLToPath(import.meta.url))), 'out/packages')
const complaints = []
const tarballs = readdirSync(packed)
for (const file of tarballs) {
  const tarball = new Uint8Array(readFileSync(join(packed, file)))
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  const contents = createPackageFromTarballData(tarball)
  const { problems = [] } = await checkPackage(contents)
  complaints.push(
    ...FIELDS.filter((field) => pkg[field] === undefined).map((field) => `${pkg.name} has no ${field}`),
    ...messages.map((message) => `${pkg.name}: ${formatMessage(message, pkg)}`),
    ...sourcesLeftOut(contents).map((source) => `${pkg.name} promises a source that it does not ship: ${source}`),
    ...problems
      .filter(({ resolutionKind }) => !NOT_OFFERED.includes(resolutionKind))
      .map((problem) => `${pkg.name}: ${JSON.stringify(problem)}`),
  )
}
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exit(1)
console.log(`${tarballs.length} packages hold what they promise`)
