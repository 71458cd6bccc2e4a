import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { bindRecording } from '#shared/recording/own/bind-recording.ts';
import { StartedRecording, StartRecordingBody } from '#shared/recording/own/recording-wire.ts';
import { startRecording } from '#shared/recording/own/start-recording.ts';
import { requireOwnBuild } from '#shared/recording/own-build.ts';
import { serveRules } from '#shared/rules/serve-rules.ts';
import { ServedRules } from '#shared/rules/served-wire.ts';

/** The first request of our own reporters. */
export const handler = endpoint({
  operationId: 'startRecording',
  route: 'POST /projects/{projectId}/recordings',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Start or join the run of a CI build',
  description:
    'Each machine of a build sends this request once, with all tests that it will run. Then it sends batches of finished tests and their files, and finally ends its recording. Every request may be repeated.',
  body: StartRecordingBody,
  success: 201,
  response: single(StartedRecording.extend(ServedRules.shape)),
  refuses: ['notFound', 'runTakesNoMore'],
  ofBuild: requireOwnBuild,
  async handle({ actor, path: { projectId }, body: sentBody }, services) {
    const { organizationId } = actor;
    const build = findBuild(actor);
    const body = bindRecording(sentBody, build);
    const recording = await startRecording(services, { organizationId, projectId, body, origin: build?.origin });
    const { rules } = await serveRules(services, { organizationId, projectId });
    return wrapData({ ...recording, rules });
  },
});
