/** The formats of requests that announce files. */
import * as z from 'zod';
import { sentId } from '#shared/model/names.ts';
import { ArtifactType, contentType, fileName } from '#shared/recording/artifact-wire.ts';
import { sentIds } from '#shared/recording/sent-ids.ts';

export const TestArtifactBody = z.object({
  type: ArtifactType,
  name: fileName,
  filename: fileName.nullish(),
  artifactId: sentId,
  attemptId: z.int().nonnegative().catch(0),
  contentType,
  ...sentIds,
});

const { testId, ...sentWithInstance } = sentIds;

export const InstanceArtifactBody = z.object({ type: ArtifactType, name: fileName, contentType, ...sentWithInstance });

export const ArtifactAnswer = z.object({ uploadUrl: z.string() });
