// The IWPC warfarin cohort as the study needs it: patients with a therapeutic dose, their clinical context, the
// VKORC1 -1639 genotype where it is known, and what linked markers say about it where it is not.

import { PrimoError } from '@primo/numeric'
import { textRecords } from './study-data.js'

type Race = 'Asian' | 'Black' | 'White' | 'other'

export interface Patient {
  /** Decade of age, 1 to 9; NaN: not known. */
  readonly age: number
  /** cm and kg; NaN: not known. */
  readonly height: number
  readonly weight: number
  readonly race: Race
  readonly inducer: boolean
  readonly amiodarone: boolean
  /** A alleles of VKORC1 -1639: 0, 1 or 2; null: not known. */
  readonly alleles: number | null
  /** The same by linked markers; null: they do not say. */
  readonly linked: number | null
  /** "*1/*2" and so on; null: not known. */
  readonly cyp2c9: string | null
  /** mg per week. */
  readonly dose: number
}

export function readPatients(file: string): readonly Patient[] {
  const [header, ...rows] = textRecords(file)
  const column = (name: string): number => {
    const at = header?.indexOf(name) ?? -1
    if (at < 0) throw new PrimoError('missing-feature', `${file} must have the column "${name}"`)
    return at
  }
  const at = {
    age: column('Age'),
    height: column('Height (cm)'),
    weight: column('Weight (kg)'),
    race: column('Race'),
    carbamazepine: column('Carbamazepine (Tegretol)'),
    phenytoin: column('Phenytoin (Dilantin)'),
    rifampin: column('Rifampin or Rifampicin'),
    amiodarone: column('Amiodarone (Cordarone)'),
    dose: column('Therapeutic Dose of Warfarin'),
    cyp2c9: column('CYP2C9 consensus'),
    genotype: column('VKORC1 -1639 consensus'),
    snp2255: column('VKORC1 2255 consensus'),
    snp1173: column('VKORC1 1173 consensus'),
    snp1542: column('VKORC1 1542 consensus'),
  }
  return rows.flatMap((row) => {
    const dose = known(row[at.dose])
    if (dose === null) return []
    const race = raceOf(row[at.race] ?? '')
    return [
      {
        age: Number.parseInt(row[at.age] ?? '', 10) / 10,
        height: Number(known(row[at.height]) ?? Number.NaN),
        weight: Number(known(row[at.weight]) ?? Number.NaN),
        race,
        inducer: [at.carbamazepine, at.phenytoin, at.rifampin].some((drug) => row[drug] === '1'),
        amiodarone: row[at.amiodarone] === '1',
        alleles: countOf(row[at.genotype], 'A', 'G'),
        linked: linkedAlleles(race, row[at.snp2255], row[at.snp1173], row[at.snp1542]),
        cyp2c9: known(row[at.cyp2c9]),
        dose: Number(dose),
      },
    ]
  })
}

function known(cell: string | undefined): string | null {
  return cell === undefined || cell === '' || cell === 'NA' ? null : cell
}

function raceOf(text: string): Race {
  if (text === 'Asian' || text === 'White') return text
  return text === 'Black or African American' ? 'Black' : 'other'
}

/** How often `letter` is in a genotype of these two letters. */
function countOf(genotype: string | undefined, letter: string, other: string): number | null {
  const alleles = known(genotype)?.split('/')
  if (alleles?.length !== 2 || !alleles.every((one) => one === letter || one === other)) return null
  return alleles.filter((one) => one === letter).length
}

/** The markers in order; those at 2255 and 1542 are linked in Asian and White patients only. */
function linkedAlleles(race: Race, at2255?: string, at1173?: string, at1542?: string): number | null {
  const trusted = race === 'Asian' || race === 'White'
  return (
    (trusted ? countOf(at2255, 'T', 'C') : null) ??
    countOf(at1173, 'T', 'C') ??
    (trusted ? countOf(at1542, 'C', 'G') : null)
  )
}
