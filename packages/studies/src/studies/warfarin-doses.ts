// Dose classes and the published dosing equations (IWPC, New England Journal of Medicine 2009;360:753): the square
// root of the weekly dose in mg, linear in clinical values, and with genotypes. They were fitted on part of these
// patients.

import type { Patient } from './warfarin-patients.js'

/** Which class a dose of exactly 21 or 49 mg per week belongs to. */
export type Convention = 'i' | 'ii'
export const doseClasses = ['low', 'medium', 'high'] as const

/** (i) below 21, 21 to 49, above 49; (ii) up to 21, between, from 49 on. */
export function doseClass(dose: number, convention: Convention): number {
  if (convention === 'i') return dose < 21 ? 0 : dose <= 49 ? 1 : 2
  return dose <= 21 ? 0 : dose < 49 ? 1 : 2
}

/** 5 mg a day. */
export const FIXED_DOSE = 35

const CYP2C9: Readonly<Record<string, number>> = {
  '*1/*2': -0.5211,
  '*1/*3': -0.9357,
  '*2/*2': -1.0616,
  '*2/*3': -1.9206,
  '*3/*3': -2.3312,
}
const VKORC1 = [0, -0.8677, -1.6974]

export function clinicalDose({ age, height, weight, race, inducer, amiodarone }: Patient): number {
  const root =
    4.0376 -
    0.2546 * age +
    0.0118 * height +
    0.0134 * weight +
    { Asian: -0.6752, Black: 0.406, White: 0, other: 0.0443 }[race] +
    (inducer ? 1.2799 : 0) -
    (amiodarone ? 0.5695 : 0)
  return root * root
}

/** `alleles` null: the genotype counts as unknown, as the equation provides. */
export function pharmacogeneticDose(patient: Patient, alleles: number | null): number {
  const { age, height, weight, race, inducer, amiodarone, cyp2c9 } = patient
  const root =
    5.6044 -
    0.2614 * age +
    0.0087 * height +
    0.0128 * weight +
    (alleles === null ? -0.4854 : VKORC1[alleles]!) +
    (cyp2c9 === null ? -0.2188 : (CYP2C9[cyp2c9] ?? 0)) +
    { Asian: -0.1092, Black: -0.276, White: 0, other: -0.1032 }[race] +
    (inducer ? 1.1816 : 0) -
    (amiodarone ? 0.5503 : 0)
  return root * root
}

/** Ages filled with the median, heights and weights with the mean of those that are known. */
export function filled(patients: readonly Patient[]): readonly Patient[] {
  const ages = patients.flatMap(({ age }) => (Number.isNaN(age) ? [] : [age])).sort((a, b) => a - b)
  const middle = (ages[Math.floor((ages.length - 1) / 2)]! + ages[Math.ceil((ages.length - 1) / 2)]!) / 2
  const mean = (of: (patient: Patient) => number) => {
    const values = patients.map(of).filter((value) => !Number.isNaN(value))
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  const height = mean((patient) => patient.height)
  const weight = mean((patient) => patient.weight)
  return patients.map((patient) => ({
    ...patient,
    age: Number.isNaN(patient.age) ? middle : patient.age,
    height: Number.isNaN(patient.height) ? height : patient.height,
    weight: Number.isNaN(patient.weight) ? weight : patient.weight,
  }))
}

/** Share of patients for whom the dose is in the right class. */
export function shareRight(
  patients: readonly Patient[],
  dose: (patient: Patient) => number,
  convention: Convention,
): number {
  const right = patients.filter(
    (patient) => doseClass(dose(patient), convention) === doseClass(patient.dose, convention),
  )
  return right.length / patients.length
}
