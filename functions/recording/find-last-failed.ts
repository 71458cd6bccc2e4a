import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { findTestsToRepeat } from '#shared/recording/own/last-failed.ts';
import { LastFailedBody, TestsToRepeat } from '#shared/recording/own/last-failed-wire.ts';
import { bindTry, requireOwnBuild } from '#shared/recording/own-build.ts';

/** Our reporter and the command ask before they repeat the tests of a build. */
export const handler = endpoint({
  operationId: 'findLastFailed',
  route: 'POST /projects/{projectId}/last-failed',
  permission: 'record',
  access: { table: 'readWrite', artifacts: 'none' },
  summary: 'Find the tests that a repeated CI build has to run again',
  description:
    'Names the tests that failed or did not run before. If the build before is not complete, failed for another reason than its tests, or had other tests, everything has to run.',
  body: LastFailedBody,
  response: single(TestsToRepeat),
  refuses: ['notFound'],
  ofBuild: requireOwnBuild,
  async handle({ actor, path: { projectId }, body: sentBody }, services) {
    const body = bindTry(sentBody, findBuild(actor));
    return wrapData(await findTestsToRepeat(services, { organizationId: actor.organizationId, projectId, body }));
  },
});
