/** The URLs of the evidence of a test, either below its project or below a share. */
import type { TestContext } from '#shared/context/context-wire.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import {
  linkToFilePage,
  linkToInstanceFile,
  linkToSharedFile,
  linkToSharedFilePage,
  linkToSharedResult,
  linkToTestOfRun,
} from '#shared/pages/shell/hrefs.ts';
import { linkToTraceViewer } from '#shared/pages/shell/trace-viewer.ts';
import type { ProjectVisit, Visit } from '#shared/sign-in/visit.ts';

export interface FileLinks {
  /** The file itself. Pictures and videos open in the browser. */
  readonly file: (file: Artifact) => string;
  readonly download: (file: Artifact) => string;
  /** The page that shows the file. */
  readonly view: (file: Artifact) => string;
}

export interface EvidenceLinks extends FileLinks {
  /** Returns the URL that opens the trace in the viewer. */
  readonly trace: (file: Artifact) => string;
  readonly attempt: (attempt: number) => string;
}

type Meta = TestContext['meta'];

const DOWNLOAD = { download: 'true' } as const;

export const makeProjectFileLinks = (visit: ProjectVisit): FileLinks => ({
  file: ({ instanceId, objectName }) => linkToInstanceFile(visit, instanceId, objectName),
  download: ({ instanceId, objectName }) => linkToInstanceFile(visit, instanceId, objectName, DOWNLOAD),
  view: ({ instanceId, objectName }) => linkToFilePage(visit, instanceId, objectName),
});

export const makeSharedFileLinks = (visit: Visit): FileLinks => ({
  file: ({ instanceId, objectName }) => linkToSharedFile(visit, instanceId, objectName),
  download: ({ instanceId, objectName }) => linkToSharedFile(visit, instanceId, objectName, DOWNLOAD),
  view: ({ instanceId, objectName }) => linkToSharedFilePage(visit, instanceId, objectName),
});

export const makeProjectLinks = (visit: ProjectVisit, meta: Meta): EvidenceLinks =>
  makeLinks(visit, makeProjectFileLinks(visit), (attempt) => linkToTestOfRun(visit, { ...meta, attempt }));

export const makeShareLinks = (visit: Visit, { instanceId, testId }: Meta): EvidenceLinks =>
  makeLinks(visit, makeSharedFileLinks(visit), (attempt) =>
    linkToSharedResult(visit, { instance_id: instanceId, test_id: testId, attempt }),
  );

const makeLinks = (visit: Visit, files: FileLinks, attempt: EvidenceLinks['attempt']): EvidenceLinks => ({
  ...files,
  trace: (trace) => linkToTraceViewer(visit, files.file(trace)),
  attempt,
});
