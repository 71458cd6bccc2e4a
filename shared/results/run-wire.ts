/** The wire shapes of a run: an item of a list, and the whole run with its spec files. */
import * as z from 'zod';
import { dateTime } from '#shared/engine/http/date-time.ts';
import { Commit } from '#shared/model/runs/commit.ts';
import { Counters } from '#shared/model/tests/outcomes.ts';
import { SpecFiles } from './files-wire.ts';

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
    meta: z.object({
      ciBuildId: z.string(),
      title: nullable.meta({ description: 'Subject line of the commit' }),
      pr: z.object({ id: z.string(), title: nullable }).nullable(),
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

export const WholeRun = RunFeedItem.extend({ specs: z.array(RunSpec) }).meta({ id: 'Run' });
