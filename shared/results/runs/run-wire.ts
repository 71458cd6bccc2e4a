/** The wire shapes of a run: an item of a list, and the whole run with its spec files. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { Counters } from '#shared/model/results/outcomes.ts';
import { Commit } from '#shared/model/runs/commit.ts';
import { SpecFiles } from '../instances/files-wire.ts';
import { OriginWire } from './origin-wire.ts';
import { RunProblem } from './problem-wire.ts';

const nullable = z.string().nullable();
const counter = z.int();

export const PlatformWire = z
  .object({ osName: nullable, osVersion: nullable, browserName: nullable, browserVersion: nullable })
  .meta({ id: 'Platform' });

export const FrameworkWire = z
  .object({ type: z.string(), version: nullable, clientVersion: nullable })
  .meta({ id: 'Framework' });

export const Cancellation = z
  .object({ actor: z.string(), canceledAt: dateTime, reason: z.string() })
  .meta({ id: 'Cancellation' });

export const TestCounts = Counters.extend({ tests: counter.meta({ description: 'Tests expected' }) });

export const WorkerWire = z.object({ workerIndex: z.int(), parallelIndex: z.int() });

export const CompletionStateName = z.enum(['COMPLETE', 'IN_PROGRESS', 'CANCELED', 'TIMEOUT']);

const RunGroup = z
  .object({
    groupId: z.string(),
    platform: PlatformWire,
    instances: z.object({ overall: counter, claimed: counter, complete: counter, passes: counter, failures: counter }),
    tests: TestCounts,
    tags: z.array(z.string()),
    environment: nullable,
    coverageEnabled: z.boolean(),
    durationMs: z.int().nullable(),
    specCount: counter,
  })
  .meta({ id: 'RunGroup' });

/** The merged view of a CI build whose jobs were tried again. */
export const BuildOfTries = z
  .object({
    status: z.enum(['RUNNING', 'FAILED', 'PASSED']).meta({
      description: 'The newest execution of each test counts. PASSED if no failure and no failed job is left',
    }),
    completionState: CompletionStateName,
    newestRunId: z.string(),
    tests: Counters,
    tries: z
      .array(
        z.object({
          runId: z.string(),
          ciBuildId: z.string(),
          createdAt: dateTime,
          status: z.enum(['RUNNING', 'FAILING', 'FAILED', 'PASSED']),
          completionState: CompletionStateName,
        }),
      )
      .meta({ description: 'The runs of all tries, the oldest first' }),
  })
  .meta({ id: 'BuildOfTries' });

export const RunFeedItem = z
  .object({
    runId: z.string(),
    projectId: z.string(),
    createdAt: dateTime,
    durationMs: z
      .int()
      .nullable()
      .meta({ description: 'Milliseconds from the creation of the run to its end. null while the run is in progress' }),
    tags: z.array(z.string()),
    status: z.enum(['RUNNING', 'FAILING', 'FAILED', 'PASSED']),
    completionState: CompletionStateName,
    timeout: z.object({ isTimeout: z.boolean() }),
    cancellation: Cancellation.nullable(),
    groups: z.array(RunGroup),
    build: BuildOfTries.optional().meta({
      description: 'All tries of the CI build together. Absent unless the build was tried again',
    }),
    meta: z.object({
      ciBuildId: z.string(),
      title: nullable.meta({ description: 'Subject line of the commit' }),
      pr: z.object({ id: z.string(), title: nullable }).nullable(),
      ciPages: z
        .array(z.string())
        .optional()
        .meta({ description: 'The addresses of the first CI jobs that recorded the run. Absent if none was sent' }),
      commit: Commit,
      framework: FrameworkWire,
    }),
  })
  .meta({ id: 'RunFeedItem' });

export const RunSpec = z
  .object({
    spec: z.string(),
    groupId: z.string(),
    instanceId: z.string(),
    claimedAt: dateTime.nullable(),
    completedAt: dateTime.nullable(),
    machineId: z.string().meta({ description: 'Empty while no machine has claimed the spec file' }),
    tags: z.array(z.string()),
    worker: WorkerWire.optional(),
    results: z
      .object({
        stats: TestCounts,
        flaky: z.int(),
        exception: z.string().nullable(),
        ...SpecFiles.shape,
      })
      .nullable()
      .meta({ description: 'null until a test has reported a result' }),
  })
  .meta({ id: 'RunSpec' });

const RepeatedTest = z
  .object({ groupId: z.string(), spec: z.string(), testId: z.string(), title: z.array(z.string()) })
  .meta({ id: 'RepeatedTest' });

export const WholeRun = RunFeedItem.extend({
  specs: z.array(RunSpec),
  origin: OriginWire.optional().meta({
    description:
      'The CI job that recorded the run without a key, as its CI system proved. Absent if a part of the results was recorded with an API key',
  }),
  repeated: z
    .object({ tests: counter, first: z.array(RepeatedTest) })
    .optional()
    .meta({
      description:
        'Tests that several machines, jobs or imports of the build reported in the same group: their number, and the first 20. Each result is kept. Give each job a `group` to tell them apart. Absent if there are none, or if the run has not ended',
    }),
  problems: z.array(RunProblem).optional().meta({
    description:
      'Why the run failed other than by its tests, and what people should know before they trust its result. Absent if there is nothing to say',
  }),
}).meta({ id: 'Run' });
