// Kernels on arrays and seeded random numbers: arrays in, arrays out.

// algebra
export { BlockMemo } from './algebra/block-memo.js'
export { projectChain } from './algebra/chain-projection.js'
export { cholesky, invertCholesky, solveCholesky, solveLower, solveLowerTransposed } from './algebra/cholesky.js'
export { ContentHash } from './algebra/content-hash.js'
export { addDots, addLinearDots, addWeightedRows } from './algebra/dots.js'
export { symmetricEigen } from './algebra/eigen.js'
export { gram } from './algebra/gram.js'
export {
  featureGram,
  featureTarget,
  type Ridge,
  residualSum,
  ridgeCoefficients,
  solveRidge,
  targetSquare,
} from './algebra/least-squares.js'
export { minimiseOnSimplex, type SimplexProgramme } from './algebra/linear-program.js'
export { linearScores } from './algebra/linear-scores.js'
export { solveChain } from './algebra/lipschitz-chain.js'
export { lowerSum, type ScaledEvidence } from './algebra/mixture-limit.js'
export { nonnegativeLeastSquares, simplexLeastSquares } from './algebra/nonnegative-least-squares.js'
export {
  inverseMills,
  normalDensity,
  normalDistribution,
  normalLogDistribution,
  normalQuantile,
} from './algebra/normal.js'
export { poolAdjacentViolators } from './algebra/pool-adjacent-violators.js'
export { portableExp, portableTanh } from './algebra/portable-maths.js'
export { interleaved, quadraticForms } from './algebra/quadratic-forms.js'
export { addScaledRows } from './algebra/scaled-rows.js'
export { solveSecular } from './algebra/secular.js'
export { projectToSimplex } from './algebra/simplex.js'
export { leastSquaresOnSimplex } from './algebra/simplex-least-squares.js'
export { sortOrder } from './algebra/sort-order.js'
export { studentQuantile } from './algebra/student.js'
export {
  addRows,
  addSums,
  BLOCK_ROUNDS,
  type BlockSums,
  copySums,
  emptySums,
  mergeBlocks,
  type Sums,
  sumRows,
} from './algebra/sums.js'
export { identity, transpose, whiten } from './algebra/whitening.js'

// shared
export {
  requireAllFinite,
  requireAtLeast,
  requireFinite,
  requireInteger,
  requireLength,
  requireOpenUnit,
  requireOptions,
  requirePositive,
  requireShare,
} from './checks.js'
export { type ErrorCode, type ErrorFacts, invalidOption, PrimoError, show } from './errors.js'
// random
export { categorical, compileDraws, drawKey, drawOf, drawOfRound, drawsOfRounds } from './random/draw.js'
export { deriveKey, type RandomKey, seedKey } from './random/key.js'
export { Random } from './random/random.js'
// simd
export { simdArray, simdScratch } from './simd/gram-simd.js'
export { actionGroups, type SimdScores, simdScores } from './simd/scores-simd.js'
export { sineOfPi } from './simd/sine-of-pi.js'
export { entryOf, nearestName, unknownName } from './unknown-name.js'
