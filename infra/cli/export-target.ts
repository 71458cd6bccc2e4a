/** Where an export is written: a folder of this machine, or a bucket. */
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Artifacts } from '#shared/engine/aws/artifacts.ts';
import {
  type DayOfProject,
  getExportPath,
  getProjectFolder,
  parseExportPath,
} from '#shared/model/analytics/exported-day.ts';
import { Bucket } from './archives/bucket.ts';
import { addAwsCredentials } from './store.ts';
import { UsageError } from './terminal/usage-error.ts';

/** Writes the content of a file, piece by piece. */
type WriteContent = (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
type Project = Omit<DayOfProject, 'day'>;

export interface ExportTarget {
  /** Creates the folder, or lists the bucket. Throws if this is not possible. */
  readonly open: () => Promise<unknown>;
  /** The days of the project that were written before. */
  readonly days: (project: Project) => Promise<readonly string[]>;
  /** Returns the size. Readers see the earlier file until the new one is complete, or if `writeContent` writes nothing. */
  readonly write: (day: DayOfProject, writeContent: WriteContent) => Promise<number>;
  readonly remove: (day: DayOfProject) => Promise<void>;
}

/** Throws `UsageError` if the target cannot be used, so that this is known before the table is read. */
export async function openTarget(to: string): Promise<ExportTarget> {
  const target = makeExportTarget(to);
  try {
    await target.open();
    return target;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--to ${to} cannot be used: ${problem}. Choose a folder or an existing bucket that you may write to`,
    );
  }
}

export function makeExportTarget(to: string): ExportTarget {
  if (!to.startsWith('s3:')) return makeFolderTarget(to);
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(to) ?? [];
  if (bucket === undefined) throw new UsageError('--to must be a folder, or a bucket such as s3://my-bucket/results');
  return makeBucketTarget(bucket, prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`);
}

function makeFolderTarget(folder: string): ExportTarget {
  const getFile = (day: DayOfProject) => join(folder, getExportPath(day));
  return {
    open: () => mkdir(folder, { recursive: true }),
    days: async (project) => {
      const path = getProjectFolder(project);
      const names = await listNames(join(folder, path));
      return names.flatMap((name) => parseExportPath(`${path}/${name}/part-0.parquet`)?.day ?? []);
    },
    write: async (day, writeContent) => {
      const path = getFile(day);
      await mkdir(dirname(path), { recursive: true });
      // Readers of `*.parquet` do not see a file that is not complete.
      const partialPath = `${path}.partial`;
      const file = await open(partialPath, 'w');
      let bytes = 0;
      try {
        await writeContent(async (piece) => {
          await file.writeFile(piece);
          bytes += piece.byteLength;
        });
      } finally {
        await file.close();
      }
      if (bytes > 0) await rename(partialPath, path);
      else {
        await rm(partialPath);
        await removeIfEmpty(dirname(path));
      }
      return bytes;
    },
    remove: async (day) => {
      const path = getFile(day);
      await rm(path, { force: true });
      await removeIfEmpty(dirname(path));
    },
  };
}

const listNames = async (folder: string): Promise<string[]> => (existsSync(folder) ? readdir(folder) : []);

async function removeIfEmpty(folder: string): Promise<void> {
  if ((await listNames(folder)).length === 0) await rm(folder, { recursive: true, force: true });
}

function makeBucketTarget(name: string, prefix: string): ExportTarget {
  const bucket = new Bucket(name);
  const getKey = (day: DayOfProject) => prefix + getExportPath(day);
  return {
    open: () => bucket.pages(prefix).next(),
    days: async (project) => {
      const days: string[] = [];
      for await (const page of bucket.pages(`${prefix}${getProjectFolder(project)}/`))
        days.push(...page.flatMap(({ key }) => parseExportPath(key.slice(prefix.length))?.day ?? []));
      return days;
    },
    write: async (day, writeContent) => {
      // Looks up the credentials and the region again for each file, because credentials may expire.
      const uploads = new Artifacts(name, await addAwsCredentials(process.env));
      return uploads.putInPieces(getKey(day), 'application/vnd.apache.parquet', writeContent);
    },
    remove: (day) => bucket.remove(getKey(day)),
  };
}
