// primo study NAME: one claim put to the test; prints tables and verdicts and writes an HTML report.

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
}

export function studyCommand(): Command {
  const width = Math.max(...studies.map(({ name }) => name.length))
  return new Command('study')
    .argument('[name]', 'the study; without a name, all are listed')
    .option('--quick', 'fewer seeds and rounds, for a first look')
    .option('--seed <n>', 'first seed', wholeNumber('--seed', 0), 1)
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
    ...(flags.workers === undefined ? {} : { workers: flags.workers }),
    onProgress: (share) => {
      progress.advance(share - before)
      before = share
    },
  })
  progress.done()
  if (flags.json === true) printJson({ study: study.name, claim: study.claim, ...result })
  else print(studyText(study, result))
  if (flags.json !== true || flags.out !== undefined) {
    const outDir = flags.out ?? `out/study-${study.name}`
    const command = `primo study ${study.name}${flags.quick === true ? ' --quick' : ''} --seed ${flags.seed}`
    await writeStudyReport({ study, result, outDir, command })
    process.stderr.write(`report: ${outDir}/report.html\n`)
  }
  if (result.verdicts.some(({ held }) => !held)) process.exitCode = 1
}
