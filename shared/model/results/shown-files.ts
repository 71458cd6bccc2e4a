/** The first screenshots, first video and traces of a spec file, copied from the artifacts, to be read by one query. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import { extractRunId } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import { type GoesWithRun, getRowSpan } from '#shared/model/runs/removal.ts';
import type { Artifact } from './artifact.ts';
import type { Instance } from './instance.ts';

/** One response reads hundreds of these rows, so attribute names are one letter long. */
export interface ShownFile {
  /** The object name of the file. Absent for a screenshot, because its key in `pictures` is its object name. */
  readonly o?: string;
  readonly i: string;
  readonly n: string;
  readonly f: string | null;
  readonly c: string;
  readonly d: string | null;
  readonly a: number;
  readonly t: number;
  readonly b: number | null;
}

export interface ShownFiles extends OfInstance, Expiring {
  /** The screenshots by object name. */
  readonly pictures: Readonly<Record<string, ShownFile>>;
  readonly video?: ShownFile;
  /** The uploaded traces: maps each object name to the index of the attempt, counted from 0. */
  readonly traces: Readonly<Record<string, number>>;
}

const getPartition = (organizationId: string, runId: string): string => composeKey('FILES', organizationId, runId);

export const shownFiles: Entity<OfInstance, ShownFiles> & GoesWithRun = {
  type: 'shown files of an instance',
  guarded: false,
  removal: {
    ends: 'files',
    ofRun: (run) => [getShownFilesSpan(run)],
    ofInstance: (instance) => [getRowSpan(shownFiles.key(instance))],
  },
  patterns: [{ question: 'Screenshots, videos and traces that a run shows', pk: 'FILES#org#run' }],
  key: ({ organizationId, instanceId }) => ({
    pk: getPartition(organizationId, extractRunId(instanceId) ?? ''),
    sk: instanceId,
  }),
  store: ({ pictures, video, traces, expiresAt }) => ({ pictures, video, traces, expiresAt }),
  load: (row) => {
    const { pk, sk, pictures = {}, video, traces = {}, expiresAt } = loadAttributes<StoredShownFiles>(row);
    const [, organizationId = ''] = pk.split('#');
    return { organizationId, instanceId: sk, pictures, video, traces, expiresAt };
  },
};

type StoredShownFiles = Partial<ShownFiles> & { readonly pk: string; readonly sk: string };

export const getShownFilesSpan = ({ organizationId, runId }: Pick<Instance, 'organizationId' | 'runId'>) =>
  getPrefixSpan(getPartition(organizationId, runId), runId);

export const toShownFile = (file: Artifact): ShownFile => ({
  i: file.artifactId,
  n: file.name,
  f: file.fileName,
  c: file.contentType,
  d: file.testId ?? null,
  a: file.attempt ?? 0,
  t: file.createdAt,
  b: file.bytes ?? null,
});

/** What is needed to show a file and to link to it. */
export type LinkedFile = Omit<Artifact, 'expiry'>;

/** Screenshots in the order of their object names, then the video. */
export function toLinkedFiles({ organizationId, instanceId, pictures, video }: ShownFiles): LinkedFile[] {
  const artifact = (type: Artifact['type'], objectName: string, { i, n, f, c, d, a, t, b }: ShownFile): LinkedFile => ({
    organizationId,
    instanceId,
    objectName,
    type,
    artifactId: i,
    name: n,
    fileName: f,
    contentType: c,
    attempt: a,
    createdAt: t,
    testId: d ?? undefined,
    bytes: b ?? undefined,
  });
  const sortedPictures = Object.entries(pictures).sort(([one], [other]) => (one < other ? -1 : 1));
  const screenshots = sortedPictures.map(([name, file]) => artifact('screenshot', name, file));
  return video ? [...screenshots, artifact('video', video.o ?? '', video)] : screenshots;
}
