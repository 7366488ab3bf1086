// primo study NAME: one claim put to the test; prints tables and verdicts and writes an HTML report.

import { checkPolicySpec, type PolicySpec } from '@primo/lab'
import { progressBar, studyText, writeStudyReport } from '@primo/lab/node'
import { studies } from '@primo/studies'
import { Command } from 'commander'
import { print, printJson, UsageError, wholeNumber } from '../output.js'

interface StudyFlags {
  readonly quick?: boolean
  readonly seed: number
  readonly workers?: number
  readonly out?: string
  readonly json?: boolean
  readonly set?: readonly string[]
  readonly policies?: readonly string[]
  readonly worlds?: readonly string[]
}

export function studyCommand(): Command {
  const width = Math.max(...studies.map(({ name }) => name.length))
  return new Command('study')
    .argument('[name]', 'the study; without a name, all are listed')
    .option('--quick', 'fewer seeds and rounds, for a first look')
    .option('--seed <n>', 'first seed', wholeNumber('--seed', 0), 1)
    .option('--set <name=value...>', "numbers in place of the study's own, such as rounds=20000 repeats=10")
    .option('--policies <name...>', 'policies to judge in place of robust (strangers): names, or objects as JSON')
    .option('--worlds <name...>', 'only these worlds of the study')
    .option('--workers <n>', 'worker threads (default: the number of cores)', wholeNumber('--workers', 1))
    .option('--out <folder>', 'folder of the report (default: out/study-NAME)')
    .option('--json', 'the result as one JSON object on stdout, nothing else; no report unless --out is given')
    .addHelpText(
      'after',
      `\nStudies:\n${studies.map(({ name, claim }) => `  ${name.padEnd(width)}  ${claim}`).join('\n')}\n\nExample:\n  primo study baselines --quick\n`,
    )
    .action(run)
}

async function run(name: string | undefined, flags: StudyFlags): Promise<void> {
  if (name === undefined) {
    for (const study of studies) print(`${study.name}: ${study.claim}`)
    return
  }
  const study = studies.find((one) => one.name === name)
  if (study === undefined)
    throw new UsageError(`study must be one of ${studies.map((one) => one.name).join(', ')}, got "${name}"`)
  const progress = progressBar(study.name, 1)
  let before = 0
  const result = await study.run({
    scale: flags.quick === true ? 'quick' : 'full',
    seed: flags.seed,
    ...(flags.set === undefined ? {} : { size: sizeOf(flags.set) }),
    ...(flags.policies === undefined ? {} : { policies: flags.policies.map(policyOf) }),
    ...(flags.worlds === undefined ? {} : { worlds: flags.worlds }),
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
    onProgress: (share) => {
      progress.advance(share - before)
      before = share
    },
  })
  progress.done()
  const { rows: _rows, ...shown } = result
  if (flags.json === true) printJson({ study: study.name, claim: study.claim, ...shown })
  else print(studyText(study, result))
  if (flags.json !== true || flags.out !== undefined) {
    const outDir = flags.out ?? `out/study-${study.name}`
    const command = [
      `primo study ${study.name}${flags.quick === true ? ' --quick' : ''} --seed ${flags.seed}`,
      ...(flags.set === undefined ? [] : [`--set ${flags.set.join(' ')}`]),
      ...(flags.policies === undefined ? [] : [`--policies ${flags.policies.map((one) => `'${one}'`).join(' ')}`]),
      ...(flags.worlds === undefined ? [] : [`--worlds ${flags.worlds.map((name) => JSON.stringify(name)).join(' ')}`]),
    ].join(' ')
    await writeStudyReport({ study, result, outDir, command })
    process.stderr.write(`report: ${outDir}/report.html\n`)
  }
  if (result.verdicts.some(({ held }) => !held)) process.exitCode = 1
}

function sizeOf(settings: readonly string[]): Readonly<Record<string, number>> {
  const entries = settings.map((setting): [string, number] => {
    const [name = '', value = ''] = setting.split('=')
    if (name === '' || value === '' || !Number.isFinite(Number(value)))
      throw new UsageError(`--set takes NAME=NUMBER, such as rounds=20000; got "${setting}"`)
    return [name, Number(value)]
  })
  return Object.fromEntries(entries)
}

/** A name of the catalogue, or a policy as data. */
function policyOf(text: string): string | PolicySpec {
  if (!text.startsWith('{')) return text
  try {
    return checkPolicySpec(JSON.parse(text))
  } catch (error) {
    throw new UsageError(`--policies takes names, or policies as JSON: ${(error as Error).message}; got ${text}`)
  }
}
