/** §2.4 Response schemas of contexts of runs, instances and tests. Members that `detail` omits are absent. */
import * as z from 'zod';
import { FailureCause } from '#shared/results/comparisons/comparison-wire.ts';
import { FailingSince } from '#shared/results/executions/failing-since-wire.ts';
import { IssueMark } from '#shared/results/failures/known-issue-wire.ts';
import { RunProblem } from '#shared/results/runs/problem-wire.ts';

const nullable = z.string().nullable();
const milliseconds = z.int().meta({ description: 'Milliseconds' });
const link = z.string().meta({ format: 'uri', description: 'Short-lived link that needs no credential' });

const Location = z
  .object({ file: z.string(), line: z.int(), column: z.int() })
  .meta({ id: 'ContextLocation', description: 'A position in the source code' });

export const ErrorInfo = z
  .object({ message: z.string(), stack: nullable, location: Location.nullable(), snippet: nullable })
  .meta({ id: 'ErrorInfo' });
export type ErrorInfo = z.infer<typeof ErrorInfo>;

export const Step = z
  .object({
    title: z.string(),
    category: z
      .string()
      .meta({ description: 'Category from the test runner: `hook`, `fixture`, `test.step`, `expect`, `pw:api`' }),
    duration: milliseconds.meta({ description: 'Duration in milliseconds. -1 if the step never ended' }),
    offset: milliseconds.optional().meta({
      description: 'When the step began, in milliseconds after the start of the attempt. Absent if not known',
    }),
    error: ErrorInfo.nullable(),
    get steps() {
      return z.array(Step);
    },
  })
  .meta({ id: 'ContextStep' });
export type Step = z.infer<typeof Step>;

export const FailureContext = z
  .object({
    failedStepIndex: z.int().meta({ description: 'Zero-based index among all steps in start order' }),
    stepBefore: Step.nullable(),
    failedStep: Step,
    stepAfter: Step.nullable(),
  })
  .meta({ id: 'FailureContext' });
export type FailureContext = z.infer<typeof FailureContext>;

const TraceErrorAnalysis = z
  .object({
    consoleEntries: z.array(
      z.object({
        time: milliseconds.meta({ description: 'Milliseconds since the epoch' }),
        messageType: z.string(),
        text: z.string(),
        location: z.object({ url: z.string(), lineNumber: z.int(), columnNumber: z.int() }),
      }),
    ),
    networkRequests: z.array(
      z.object({
        time: milliseconds.meta({ description: 'Milliseconds since the epoch' }),
        url: z.string(),
        status: z.int(),
        method: z.string(),
      }),
    ),
  })
  .meta({ id: 'TraceErrorAnalysis', description: 'Browser console entries and network requests from the trace' });

const NamedLink = z.object({ name: z.string(), url: link });

export const Assets = z
  .object({
    traces: z.array(NamedLink),
    screenshots: z.array(NamedLink),
    videos: z.array(NamedLink),
    attachments: z.array(z.object({ name: z.string(), filename: nullable, contentType: z.string(), url: link })),
    totals: z
      .object({ traces: z.int(), screenshots: z.int(), videos: z.int(), attachments: z.int() })
      .meta({ description: 'Counts of all files, listed or not' }),
  })
  .meta({ id: 'ContextAssets' });
export type Assets = z.infer<typeof Assets>;

const OtherAttempt = z.object({
  attempt: z.int(),
  status: z.string(),
  duration: milliseconds,
  sameError: z
    .boolean()
    .meta({ description: 'Whether it failed with the same error, apart from ids, numbers and paths' }),
  error: z.object({ message: z.string(), location: Location.nullable() }).nullable(),
});

export const TestEnvironment = z
  .object({
    framework: z.object({ type: z.string(), version: nullable }).nullable(),
    platform: z
      .object({ osName: nullable, osVersion: nullable, browserName: nullable, browserVersion: nullable })
      .nullable(),
    project: nullable.meta({ description: 'The group, for example a Playwright project' }),
  })
  .meta({ id: 'ContextEnvironment' });

export const Git = z
  .object({
    repository: nullable,
    branch: nullable,
    sha: nullable,
    pullRequest: z.object({ number: z.string(), url: nullable, baseBranch: nullable }).nullable(),
    proof: z.enum(['commit', 'repository']).optional().meta({
      description:
        'What the CI system proved by an identity token: repository and commit, or only the repository. Absent if nothing',
    }),
  })
  .meta({ id: 'ContextGit' });

const expiredAt = (what: string) =>
  z
    .string()
    .optional()
    .meta({ format: 'date-time', description: `When ${what} expired, by the retention of the run` });

/** On all three levels. `detail=summary` keeps only the required members and `omitted`. */
const testMembers = {
  spec: z.string(),
  test: z.object({
    title: z.array(z.string()),
    status: z.string(),
    attempt: z.int().meta({ description: 'Zero-based index of the shown attempt' }),
    totalAttempts: z.int(),
    duration: milliseconds.meta({ description: 'Duration of the attempt in milliseconds' }),
  }),
  error: ErrorInfo.nullable(),
  errorContext: NamedLink.nullable().meta({ description: 'The page at the time of the error, as Markdown' }),
  meta: z.object({
    projectId: z.string(),
    runId: z.string(),
    instanceId: z.string(),
    testId: z.string(),
    signature: z.string(),
    attempt: z.int(),
    evidenceExpiredAt: expiredAt('steps, output and trace analyses'),
    filesExpiredAt: z.string().optional().meta({
      format: 'date-time',
      description: 'When the files expired, by the retention of the run, or were deleted',
    }),
  }),
  furtherErrors: z
    .array(z.object({ message: z.string(), location: Location.nullable(), snippet: nullable.optional() }))
    .optional()
    .meta({
      description: 'The other errors of the attempt, such as those of soft assertions. Absent if there are none',
    }),
  annotations: z
    .array(z.object({ type: z.string(), description: nullable }))
    .optional()
    .meta({ description: 'The annotations of the test, such as links to issues. Absent if there are none' }),
  tags: z
    .array(z.string())
    .optional()
    .meta({ description: 'The tags of the test itself, without those of its run and group. Absent if there are none' }),
  otherAttempts: z.array(OtherAttempt).optional(),
  traceErrorAnalysis: TraceErrorAnalysis.nullable().optional(),
  failureContext: FailureContext.nullable().optional(),
  steps: z.array(Step).optional(),
  omitted: z
    .object({ steps: z.int(), assets: z.int() })
    .optional()
    .meta({ description: 'Counts of what `detail=compact` or `detail=summary` omits' }),
  stdout: z.array(z.string()).optional(),
  stderr: z.array(z.string()).optional(),
  assets: Assets.optional(),
  environment: TestEnvironment.optional(),
  git: Git.optional(),
};

export const TestContext = z
  .object({
    level: z.literal('test'),
    ...testMembers,
    failingSince: FailingSince.optional().meta({
      description: 'Since when the test has been failing on the default branch, up to this run. Only for failed tests',
    }),
    knownIssues: z
      .array(IssueMark)
      .optional()
      .meta({ description: 'Issues in a tracker that are linked to this test. Absent if there are none' }),
  })
  .meta({ id: 'TestContext' });
export type TestContext = z.infer<typeof TestContext>;

export const ListedTest = z
  .object({ testId: z.string(), instanceId: z.string(), ...testMembers })
  .meta({ id: 'ContextListedTest' });
export type ListedTest = z.infer<typeof ListedTest>;

const listMembers = {
  list: z.array(ListedTest),
  total: z.int().meta({ description: 'Number of failed tests, plus flaky ones if `include_flaky` is true' }),
  nextPage: z.union([z.int(), z.literal(false)]),
};

const causeMembers = {
  answer: z
    .string()
    .optional()
    .meta({ description: 'The number of failures and causes, and the cause of most failures, in a sentence' }),
  causeCount: z.int().optional().meta({ description: 'Number of causes. Absent if it is not known' }),
  causes: z
    .array(FailureCause)
    .optional()
    .meta({ description: 'What the errors of the failed tests have in common, the cause of most tests first' }),
};

export const InstanceContext = z
  .object({
    level: z.literal('instance'),
    runId: z.string(),
    instanceId: z.string(),
    spec: z.string(),
    ...causeMembers,
    ...listMembers,
    environment: TestEnvironment,
    git: Git,
  })
  .meta({ id: 'InstanceContext' });
export type InstanceContext = z.infer<typeof InstanceContext>;

export const RunContext = z
  .object({
    level: z.literal('run'),
    runId: z.string(),
    projectId: z.string(),
    ciBuildId: z.string(),
    status: z.enum(['RUNNING', 'FAILING', 'FAILED', 'PASSED']),
    completionState: z.enum(['COMPLETE', 'IN_PROGRESS', 'CANCELED', 'TIMEOUT']),
    ...causeMembers,
    specs: z
      .array(
        z.object({
          spec: z.string(),
          groupId: z.string(),
          instanceId: z.string(),
          failed: z.int(),
          skipped: z.int(),
          flaky: z.int(),
        }),
      )
      .meta({ description: 'Spec files with failed, skipped or flaky tests' }),
    errorsOutsideTests: z
      .array(z.object({ message: z.string(), machines: z.int() }))
      .optional()
      .meta({
        description:
          'Errors that belong to no test, such as a rejected promise or a spec file that cannot be loaded, with the number of machines that sent them. Only if there are any',
      }),
    problems: z.array(RunProblem).optional().meta({
      description:
        'Why the run failed other than by its tests, and what to know before trusting its result. Only if there are any. Includes `errorsOutsideTests`',
    }),
    totalFailedTests: z.int(),
    totalFlakyTests: z.int().optional().meta({ description: 'Number of flaky tests. Only if `include_flaky` is true' }),
    ...listMembers,
    git: Git,
  })
  .meta({ id: 'RunContext' });
export type RunContext = z.infer<typeof RunContext>;

export const ContextData = z.discriminatedUnion('level', [TestContext, InstanceContext, RunContext]);
export type ContextData = z.infer<typeof ContextData>;
