/** The search, the filters and the page of the list of all tests of a run. */
import * as z from 'zod';
import { RESULT_LIMITS } from '../limits.ts';

export const OUTCOMES_OF_TESTS = ['failed', 'flaky', 'passed', 'skipped', 'not_run'] as const;
export type OutcomeOfTest = (typeof OUTCOMES_OF_TESTS)[number];

export const testsOfRunQuery = z.object({
  q: z.string().trim().max(RESULT_LIMITS.searchCharacters).optional(),
  outcome: z.enum([...OUTCOMES_OF_TESTS, '']).optional(),
  group: z.string().max(RESULT_LIMITS.searchCharacters).optional(),
  /** Where the page begins: the number of a spec file in the list, and of a test in it. */
  from: z
    .string()
    .regex(/^\d{1,6}\.\d{1,6}$/)
    .optional(),
});
export type TestsOfRunQuery = z.infer<typeof testsOfRunQuery>;
