/** The URLs of the evidence of a test, either below its project or below a share. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import {
  linkToInstanceFile,
  linkToSharedFile,
  linkToSharedResult,
  linkToTestOfRun,
} from '#shared/pages/shell/hrefs.ts';
import { linkToTraceViewer } from '#shared/pages/shell/trace-viewer.ts';
import type { ProjectVisit, Visit } from '#shared/sign-in/visit.ts';

export interface EvidenceLinks {
  readonly file: (file: Artifact) => string;
  /** Returns the URL that opens the trace in the viewer. */
  readonly trace: (file: Artifact) => string;
  readonly attempt: (attempt: number) => string;
}

type Meta = TestContext['meta'];

export const makeProjectLinks = (visit: ProjectVisit, meta: Meta): EvidenceLinks =>
  makeLinks(
    visit,
    ({ instanceId, objectName }) => linkToInstanceFile(visit, instanceId, objectName),
    (attempt) => linkToTestOfRun(visit, { ...meta, attempt }),
  );

export const makeShareLinks = (visit: Visit, { instanceId, testId }: Meta): EvidenceLinks =>
  makeLinks(
    visit,
    (file) => linkToSharedFile(visit, file.instanceId, file.objectName),
    (attempt) => linkToSharedResult(visit, { instance_id: instanceId, test_id: testId, attempt }),
  );

const makeLinks = (visit: Visit, file: EvidenceLinks['file'], attempt: EvidenceLinks['attempt']): EvidenceLinks => ({
  file,
  trace: (trace) => linkToTraceViewer(visit, file(trace)),
  attempt,
});
