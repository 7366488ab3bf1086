// Node only: files, threads, pictures.

// block-sums
export { type ChunkThread, startChunkThread } from './block-sums/chunk-thread.js'
export { type ChunkedLog, openChunkedLog } from './block-sums/log-chunk.js'
export { type ChunkTask, chunkTasks, fitChunks, packSums, sumChunk, unpackSums } from './block-sums/sum-chunk.js'
export { sumInThreads } from './block-sums/sum-in-threads.js'

// calibration-analysis
export {
  type AnalysisOptions,
  analyseCalibration,
  type CalibrationAnalysis,
} from './calibration-analysis/analyse-calibration.js'
export { analysisResult, analysisText } from './calibration-analysis/analysis-report.js'
export { witnessSentences, witnessTable, witnessText } from './calibration-analysis/witness-report.js'
export {
  type WitnessAlone,
  type WitnessSet,
  type WitnessSets,
  type WitnessVerdict,
  witnessSets,
} from './calibration-analysis/witness-sets.js'

// evaluation
export type { BehaviourModel } from './evaluation/behaviour-model.js'
export { behaviourText } from './evaluation/behaviour-report.js'
export { type BehaviourEvaluation, evaluateByBehaviour } from './evaluation/estimated-behaviour.js'
export { evaluationResult, evaluationTables, evaluationText } from './evaluation/evaluation-report.js'

// inspection
export { looksLater } from './inspection/later-columns.js'
export type { ProfileOptions, TableProfile } from './inspection/profile-csv.js'
export { profileTable } from './inspection/profile-table.js'
export { profileText } from './inspection/profile-text.js'
export { type ConvertedLog, convertLog, type ForeignFormat, foreignFormats } from './log/convert-log.js'
// log
export { importLog, type TableLog } from './log/import-log.js'
export { type ArchivedFile, type LogArchive, readArchive, writeArchive } from './log/log-archive.js'
export {
  type LogCell,
  type LogColumn,
  type LogRow,
  logColumns,
  logModes,
  predictionColumns,
  type RewardStatus,
  rewardStatuses,
} from './log/log-columns.js'
export { checkLogHeader, type LogCovariate, type LogHeader, logHeader } from './log/log-header.js'
export { type LogTable, logTable } from './log/log-table.js'
export { finalReward, loggedRound, problemOfLog } from './log/logged-round.js'
export { type LogFile, openLog } from './log/read-log.js'
export { type LogFormat, type LogRows, logBytes, logFormatOf, logFormats, writeLog } from './log/write-log.js'

// report
export { type Progress, progressBar } from './report/progress.js'
export type { Study, StudyOptions, StudyPlot, StudyResult, StudyTable, Verdict } from './report/study.js'
export { studyText } from './report/study-text.js'
export { summariseRun } from './report/summary.js'
export { summaryText } from './report/tables.js'
export { type Curve, terminalPlot } from './report/terminal-plot.js'
export { textTable } from './report/text-table.js'
export { writeRunReport } from './report/write-report.js'
export { writeStudyReport } from './report/write-study-report.js'

// runs
export { cellGroups } from './runs/cell-groups.js'
export { type CellThread, startCellThread } from './runs/cell-thread.js'
export { environmentsIn, isCodeFile, loadCode, ownPolicies, policiesIn } from './runs/code-files.js'
export type { CodeLookup, CodeRef } from './runs/code-ref.js'
export { mergeRuns } from './runs/merge.js'
export { environmentFor, policySetting, settingOf } from './runs/run-cell.js'
export { type FinishedCell, openRunFolder, type RunFile, type RunFolder, readRunFolder } from './runs/run-folder.js'
export type { RunRow } from './runs/run-row.js'
export {
  type Cell,
  cellsOf,
  cellsOfShard,
  checkRunSpec,
  parseShard,
  type RunSpec,
  type Shard,
} from './runs/run-spec.js'
export { type RunnerOptions, runCells } from './runs/runner.js'

// tables
export { calibrateTable, type TableCalibration } from './tables/calibrate-table.js'
export { calibratedColumns } from './tables/calibrated-columns.js'
export type { CalibrationReport } from './tables/calibration-report.js'
export { calibrationText } from './tables/calibration-text.js'
export { csvRecords, isBlank } from './tables/csv-records.js'
export { dateParts } from './tables/date-columns.js'
export { fileText } from './tables/file-text.js'
export { hideUnseen } from './tables/hide-unseen.js'
export { memoryTable } from './tables/memory-table.js'
export { missingMarkers } from './tables/missing-markers.js'
export { type TableInputs, tableInputs, withPredictions } from './tables/predicted-table.js'
export { readTable, tableHeader } from './tables/read-table.js'
export type { Table } from './tables/table.js'
export { tableNotes } from './tables/table-notes.js'
export {
  type CovariateColumns,
  type CovariateTableSpec,
  covariateSpecs,
  laterColumns,
  type TableSpec,
} from './tables/table-spec.js'
export { tableWorld } from './tables/table-world.js'
export { writeWithColumns } from './tables/write-calibrated.js'
export { writeWorld } from './tables/write-table.js'

// training
export { TRAINING_CLASSES, type TrainingClass } from './training/candidate-classes.js'
export { type CompletedColumn, imputeTable } from './training/impute-table.js'
export { type Judgement, judgeModel } from './training/judge-model.js'
export { onnxModel } from './training/onnx-model.js'
export { type TrainOptions, trainModel } from './training/train-model.js'
export { type TrainAllOptions, trainModels } from './training/train-models.js'
export { trainingConclusion, trainingText } from './training/training-text.js'
