/** The URLs of the evidence of a test, either below its project or below a share. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Artifact } from '#shared/model/tests/artifact.ts';
import { fileHref, sharedFileHref, sharedResultHref, testOfRunHref } from '#shared/pages/shell/hrefs.ts';
import { traceViewerHref } from '#shared/pages/shell/trace-viewer.ts';
import type { ProjectVisit, Visit } from '#shared/sign-in/visit.ts';

export interface EvidenceLinks {
  readonly file: (file: Artifact) => string;
  /** Returns the URL that opens the trace in the viewer. */
  readonly trace: (file: Artifact) => string;
  readonly attempt: (attempt: number) => string;
}

type Meta = TestContext['meta'];

export const linksInProject = (visit: ProjectVisit, meta: Meta): EvidenceLinks =>
  linksTo(
    visit,
    ({ instanceId, objectName }) => fileHref(visit, instanceId, objectName),
    (attempt) => testOfRunHref(visit, { ...meta, attempt }),
  );

export const linksInShare = (visit: Visit, { instanceId, testId }: Meta): EvidenceLinks =>
  linksTo(
    visit,
    (file) => sharedFileHref(visit, file.instanceId, file.objectName),
    (attempt) => sharedResultHref(visit, { instance_id: instanceId, test_id: testId, attempt }),
  );

const linksTo = (visit: Visit, file: EvidenceLinks['file'], attempt: EvidenceLinks['attempt']): EvidenceLinks => ({
  file,
  trace: (trace) => traceViewerHref(visit, file(trace)),
  attempt,
});
