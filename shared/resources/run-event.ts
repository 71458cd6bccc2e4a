/** §6 What the world is told of a run, one event per group: its name, the body of a webhook, and what travels inside the service. */
import * as z from 'zod';

export const RUN_EVENTS = ['RUN_START', 'RUN_FINISH', 'RUN_TIMEOUT', 'RUN_CANCELED'] as const;
export const RunEventName = z.enum(RUN_EVENTS).meta({ id: 'RunEventName' });
export type RunEventName = z.infer<typeof RunEventName>;

const nullable = z.string().nullable();
const count = z.int().nonnegative();

/** §6 The body that receivers get, with these members and no others. */
export const RunEventPayload = z.object({
  event: RunEventName,
  runUrl: z.string(),
  buildId: z.string(),
  /** Of runs with several groups only. */
  groupId: z.string().optional(),
  tags: z.array(z.string()),
  commit: z.object({
    sha: nullable,
    branch: nullable,
    authorName: nullable,
    authorEmail: nullable,
    message: nullable,
    remoteOrigin: nullable,
    defaultBranch: nullable,
  }),
  overall: count,
  passes: count,
  failures: count,
  pending: count,
  skipped: count,
  retries: count,
  flaky: count,
});
export type RunEventPayload = z.infer<typeof RunEventPayload>;

/** The `detail` on the event bus. `group` is always there, `occurredAt` and `runCreatedAt` are milliseconds. */
export const RunEvent = z.object({
  organizationId: z.string(),
  projectId: z.string(),
  runId: z.string(),
  runCreatedAt: z.int(),
  group: z.string(),
  occurredAt: z.int(),
  payload: RunEventPayload,
});
export type RunEvent = z.infer<typeof RunEvent>;
