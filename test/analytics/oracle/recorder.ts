/** Two ways to record generated runs: through the HTTP API, or by calling the domain functions in this process. */
import { expect } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import type { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { timeOutRuns } from '#shared/lifecycle/time-out-runs.ts';
import { UploadRunBody } from '#shared/recording/published/batch-wire.ts';
import { claimInstance } from '#shared/recording/published/claim-instance.ts';
import { ClaimInstanceBody } from '#shared/recording/published/claim-wire.ts';
import { createTestRecord, updateTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateTestRecordBody, UpdateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { uploadRun } from '#shared/recording/published/upload-run.ts';
import type { Services } from '#shared/services.ts';
import { idempotencyKey } from '#test/harness/recording.ts';
import { sendUpload } from '#test/harness/recording-batch.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import type { Scope } from './asked.ts';

/** Records generated runs. Each call expects success. */
export interface Recorder {
  readonly projectId: string;
  readonly keys: { readonly readWrite: string };
  readonly upload: (body: object) => Promise<{ readonly runId: string }>;
  readonly claim: (body: Claim) => Promise<{ readonly instanceId: string }>;
  readonly create: (body: object) => Promise<{ readonly recordId: string }>;
  readonly update: (recordId: string, body: object) => Promise<void>;
  readonly remove: (runId: string) => Promise<void>;
  readonly cancel: (runId: string) => Promise<void>;
  readonly timeOut: () => Promise<unknown>;
}

interface Claim {
  readonly runId: string;
  readonly groupId: string;
  readonly machineId: string;
  readonly spec: string;
}

export function overHttp(stage: TestService & Tenant): Recorder {
  const { api, projectId, keys } = stage;
  const done = (answer: { readonly status: number }) => expect(answer).toMatchObject({ status: 200 });
  return {
    projectId,
    keys,
    async upload(body) {
      const answer = await sendUpload(stage, body);
      done(answer);
      return answer.body;
    },
    async claim(body) {
      const answer = await api.post(`@/runs/${body.runId}/pw/instances/v1`, body, idempotencyKey());
      done(answer);
      return answer.body;
    },
    async create(body) {
      const answer = await api.post('@/test-record', body, idempotencyKey());
      done(answer);
      return answer.body;
    },
    update: async (recordId, body) => done(await api.put(`@/test-record/${recordId}`, body, idempotencyKey())),
    remove: async (runId) => done(await api.send('DELETE', `/runs/${runId}`)),
    cancel: async (runId) => done(await api.put(`/runs/${runId}/cancel`)),
    timeOut: () => stage.runSchedule('timeOutRuns'),
  };
}

export const TIME: Parameters<typeof sweepAnalytics>[1] = { remainingMilliseconds: () => 60_000 };

/**
 * Records by calling the domain functions directly. Otherwise long random tests would spend most of their time in the
 * gateway, which has its own tests.
 */
export function throughRules(services: Services, { organizationId, projectId }: Scope): Recorder {
  const by = { organizationId, actor: OPERATOR };
  const owner = { organizationId, actor: OPERATOR.kind };
  return {
    projectId,
    keys: { readWrite: 'unused' },
    upload: (body) =>
      uploadRun(services, { organizationId, body: UploadRunBody.parse(body), clientVersion: undefined }),
    claim: (body) =>
      claimInstance(services, {
        organizationId,
        runId: body.runId,
        requestKey: crypto.randomUUID(),
        body: ClaimInstanceBody.parse(body),
      }),
    create: (sent) => createTestRecord(services, { organizationId, body: CreateTestRecordBody.parse(sent), sent }),
    update: (recordId, sent) =>
      updateTestRecord(services, { organizationId, recordId, body: UpdateTestRecordBody.parse(sent), sent }),
    remove: async (runId) => void (await deleteRun(services, { ...by, runId })),
    cancel: async (runId) => void (await cancelRun(services, { ...owner, runId })),
    timeOut: () => timeOutRuns(services, TIME),
  };
}
