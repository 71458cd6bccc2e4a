/**
 * Makes the store of s3rver reliable: on its own, it writes an object as three files, and does not wait for other reads
 * and writes of the same object.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type S3rver from '@20minutes/s3rver';
import type { Notifications } from './s3-notifications.ts';

type Store = S3rver['store'];

/** `uploads` is the folder for incomplete uploads, on the same disk as the buckets. */
export function makeStoreReliable(store: Store, uploads: string, notifications: Notifications): void {
  // Each step wraps methods that the steps before may have replaced: whole objects are written with the atomic
  // `putContent`, and the notification follows the complete write.
  makeContentAtomic(store, uploads);
  serializeAccess(store, uploads);
  notifyOfNewObjects(store, notifications);
}

/** After an interrupted write, the previous content still exists. Parts of multipart uploads need only this. */
function makeContentAtomic(store: Store, uploads: string): void {
  const write = store.putContent.bind(store);
  store.putContent = (path, content) =>
    usePartialFile(uploads, async (partialFile) => {
      const result = await write(partialFile, content);
      await rename(partialFile, path);
      return result;
    });
}

/** The ETag that the source of the running copy must have. */
export const copyOnlyIf = new AsyncLocalStorage<string>();

type RunAlone = <Result>(act: () => Promise<Result>) => Promise<Result>;

/** Returns a function that runs what it gets one after another. */
function makeLock(): RunAlone {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Runs reads and writes one after another, so that a read sees size, ETag and content of the same version. */
function serializeAccess(store: Store, uploads: string): void {
  const runAlone = makeLock();
  // `getObject` and `copyObject` call `getMetadata` while they hold the lock, so they need the version of `getMetadata`
  // that does not wait for the lock.
  const unguardedStore: Store = Object.create(store, { getMetadata: { value: store.getMetadata } });
  const getMetadata = unguardedStore.getMetadata.bind(unguardedStore);
  const getObject = store.getObject.bind(unguardedStore);
  const deleteObject = store.deleteObject.bind(store);
  const parts = { store, uploads, runAlone, getMetadata };
  store.getMetadata = (bucket, key) => runAlone(() => getMetadata(bucket, key));
  // The content file is open when this promise resolves, and can then be read without the lock: later writes rename or
  // unlink the file, but do not modify it.
  store.getObject = (bucket, key, options) => runAlone(() => getObject(bucket, key, options));
  store.putObject = (object) => putObject(parts, object);
  store.copyObject = (...copy) => copyObject(parts, ...copy);
  store.deleteObject = (bucket, key) => runAlone(() => deleteObject(bucket, key));
}

interface StoreParts {
  readonly store: Store;
  readonly uploads: string;
  readonly runAlone: RunAlone;
  /** Does not wait for the lock. */
  readonly getMetadata: Store['getMetadata'];
}

/**
 * Receives the content into a partial file without the lock, because a slow upload must not delay others. `putContent`
 * renames a partial file of its own to this one when the content is complete. Only then the lock is taken to replace
 * the object.
 */
const putObject = (
  { store, uploads, runAlone }: StoreParts,
  object: Parameters<Store['putObject']>[0],
): ReturnType<Store['putObject']> =>
  usePartialFile(uploads, async (partialFile) => {
    const [size, md5] = await store.putContent(partialFile, object.content);
    await runAlone(() => commitObject(store, partialFile, { ...object, md5 }));
    return { size, md5 };
  });

const copyObject = (
  { store, uploads, runAlone, getMetadata }: StoreParts,
  ...[fromBucket, fromKey, bucket, key, replacement]: Parameters<Store['copyObject']>
): ReturnType<Store['copyObject']> =>
  usePartialFile(uploads, (partialFile) =>
    runAlone(async () => {
      const source = await getMetadata(fromBucket, fromKey);
      const md5 = source.etag.replaceAll('"', '');
      const requiredETag = copyOnlyIf.getStore() ?? md5;
      // If the client retries the failed request, it gets 412, because the ETag of the source has changed.
      if (md5 !== requiredETag) throw new Error(`${fromKey} was replaced before it could be copied`);
      await copyFile(store.getResourcePath(fromBucket, fromKey, 'object'), partialFile);
      await commitObject(store, partialFile, { bucket, key, metadata: replacement ?? source, md5 });
      return getMetadata(bucket, key);
    }),
  );

interface NewObject {
  readonly bucket: string;
  readonly key: string;
  readonly metadata: object;
  readonly md5: string;
}

/** Replaces the object by the content of the partial file. Needs the lock. */
async function commitObject(store: Store, partialFile: string, object: NewObject): Promise<void> {
  const { bucket, key, metadata, md5 } = object;
  const path = store.getResourcePath(bucket, key, 'object');
  await mkdir(dirname(path), { recursive: true });
  await rename(partialFile, path);
  await store.putMetadata(bucket, key, metadata, md5);
}

async function usePartialFile<Result>(uploads: string, act: (partialFile: string) => Promise<Result>): Promise<Result> {
  const partialFile = join(uploads, randomUUID());
  try {
    return await act(partialFile);
  } finally {
    await rm(partialFile, { force: true });
  }
}

/** Notifies after the object is complete and before the response, so that every acknowledged upload has its event. */
function notifyOfNewObjects(store: Store, notifications: Notifications): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const result = await put(object);
    await notifications.created({ bucket: object.bucket, key: object.key, bytes: result.size, eTag: result.md5 });
    return result;
  };
}
