/** What may be wrong with a run other than its tests. Every kind of problem is defined here, in the order of display. */
import * as z from 'zod';

export const PROBLEMS = {
  errorOutsideTests: { failsRun: true, meaning: 'an error that belongs to no test' },
  unreadableFile: { failsRun: true, meaning: 'a report file that is empty or cannot be read' },
  truncatedFile: { failsRun: true, meaning: 'a report file that is cut' },
  leftOutTest: { failsRun: true, meaning: 'a result that could not be recorded' },
  failedJob: { failsRun: true, meaning: 'the job failed and did not say why' },
  noTests: { failsRun: true, meaning: 'the run ended without any test' },
  missingResults: { failsRun: true, meaning: 'expected tests never reported a result' },
  keptOpen: { failsRun: true, meaning: 'the run timed out while it waited for more imports or machines' },
  testsOfSeveralSources: { failsRun: false, meaning: 'several jobs or machines reported the same tests' },
  failuresWithoutTest: { failsRun: false, meaning: 'a report counts more failures than its tests have' },
} as const satisfies Readonly<Record<string, { readonly failsRun: boolean; readonly meaning: string }>>;

export type ProblemKind = keyof typeof PROBLEMS;

export const PROBLEM_KINDS = Object.keys(PROBLEMS) as readonly ProblemKind[];

export const RunProblem = z
  .object({
    kind: z.enum(PROBLEM_KINDS).meta({
      description: PROBLEM_KINDS.map((kind) => `\`${kind}\`: ${PROBLEMS[kind].meaning}`).join('. '),
    }),
    message: z.string(),
    file: z.string().nullable().meta({ description: 'The report file. null if the problem belongs to no file' }),
    machines: z.int().meta({ description: 'The number of machines or imports that reported this problem' }),
    failsRun: z.boolean().meta({ description: 'Whether the run cannot pass because of it. `false` for a warning' }),
  })
  .meta({ id: 'RunProblem' });
export type RunProblem = z.infer<typeof RunProblem>;
