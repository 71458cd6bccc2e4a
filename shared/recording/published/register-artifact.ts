/** Announces a file: writes its row, and returns a presigned PUT URL that is valid for one hour. */

import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { extractRunId, splitRecordId } from '#shared/model/ids.ts';
import { type Artifact, getUploadKey } from '#shared/model/results/artifact.ts';
import { instances } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { runs } from '#shared/model/runs/run.ts';
import { addObjectName, deriveArtifactId } from '#shared/recording/make-artifact.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import type { Services } from '#shared/services.ts';
import { requireRoom } from '#shared/usage/stored-bytes.ts';
import type { ArtifactAnswer, InstanceArtifactBody, TestArtifactBody } from './artifact-wire.ts';

interface TestArtifactRequest {
  readonly organizationId: string;
  readonly recordId: string;
  readonly body: z.output<typeof TestArtifactBody>;
}

export async function registerTestArtifact(
  services: Services,
  { organizationId, recordId, body }: TestArtifactRequest,
): Promise<z.input<typeof ArtifactAnswer>> {
  const ids = splitRecordId(recordId) ?? refuse(notFound('Test record'));
  const [record] = await Promise.all([
    services.table.get(testRecords, { organizationId, ...ids }, { consistent: true }),
    requireRoom(services, { organizationId }),
  ]);
  if (!record) throw notFound('Test record');
  refuseContradictions(body, record);
  return registerArtifact(services, {
    organizationId,
    instanceId: record.instanceId,
    artifactId: body.artifactId,
    type: body.type,
    name: body.name,
    fileName: body.filename ?? null,
    contentType: body.contentType,
    testId: record.testId,
    attempt: body.attemptId,
    createdAt: services.now(),
    expiry: record.expiry,
  });
}

interface InstanceArtifactRequest {
  readonly organizationId: string;
  readonly instanceId: string;
  readonly body: z.output<typeof InstanceArtifactBody>;
}

export async function registerInstanceArtifact(
  services: Services,
  { organizationId, instanceId, body }: InstanceArtifactRequest,
): Promise<z.input<typeof ArtifactAnswer>> {
  const runId = extractRunId(instanceId) ?? refuse(notFound('Instance'));
  const [instance, run] = await Promise.all([
    services.table.get(instances, { organizationId, runId, instanceId }, { consistent: true }),
    services.table.get(runs, { organizationId, runId }, { consistent: true }),
    requireRoom(services, { organizationId }),
  ]);
  if (!instance || !run) throw notFound('Instance');
  refuseContradictions(body, instance);
  await noteOrigin(services, run, undefined);
  return registerArtifact(services, {
    organizationId,
    instanceId,
    artifactId: deriveArtifactId(body.type, body.name),
    type: body.type,
    name: body.name,
    fileName: null,
    contentType: body.contentType,
    createdAt: services.now(),
    expiry: instance.expiry,
  });
}

async function registerArtifact(services: Services, announcement: Omit<Artifact, 'objectName'>) {
  const artifact = addObjectName(announcement);
  await announceFiles(services, [artifact]);
  return { uploadUrl: await services.artifacts.uploadUrl(getUploadKey(artifact)) };
}
