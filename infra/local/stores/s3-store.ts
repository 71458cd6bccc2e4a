/**
 * Makes the store of s3rver safe: it writes an object as three files, and does not wait for other reads and writes of
 * the same object.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type S3rver from '@20minutes/s3rver';
import type { Notifications } from './s3-notifications.ts';

type Store = S3rver['store'];

/** `uploads` is the folder for incomplete uploads, on the same disk as the buckets. */
export function protectStore(store: Store, uploads: string, notifications: Notifications): void {
  makeUploadsAtomic(store, uploads);
  serializeAccess(store, uploads);
  notifyOfNewObjects(store, notifications);
}

/** Makes uploads atomic: after an interrupted upload, the previous object still exists. */
function makeUploadsAtomic(store: Store, uploads: string): void {
  const write = store.putContent.bind(store);
  store.putContent = (objectPath, content) =>
    usePartialFile(uploads, async (partialFile) => {
      const result = await write(partialFile, content);
      await rename(partialFile, objectPath);
      return result;
    });
}

/** The ETag that the source of the running copy must have. */
export const copyOnlyIf = new AsyncLocalStorage<string>();

/** Runs reads and writes one after another, so that a read sees size, ETag and content of the same version. */
function serializeAccess(store: Store, uploads: string): void {
  let last: Promise<unknown> = Promise.resolve();
  const runAlone = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
  // `getObject` calls `getMetadata` while it holds the lock, so it needs the version of `getMetadata` that does not
  // wait for the lock.
  const unguardedStore: Store = Object.create(store, { getMetadata: { value: store.getMetadata } });
  const getMetadata = unguardedStore.getMetadata.bind(unguardedStore);
  const getObject = store.getObject.bind(unguardedStore);
  store.getMetadata = (bucket, key) => runAlone(() => getMetadata(bucket, key));
  // The content file is open when this promise resolves, and can then be read without the lock: later writes rename or
  // unlink the file, but do not modify it.
  store.getObject = (bucket, key, options) => runAlone(() => getObject(bucket, key, options));
  const commit = async (partialFile: string, bucket: string, key: string, metadata: object, md5: string) => {
    const path = store.getResourcePath(bucket, key, 'object');
    await mkdir(dirname(path), { recursive: true });
    await rename(partialFile, path);
    await store.putMetadata(bucket, key, metadata, md5);
  };
  store.putObject = (object) =>
    usePartialFile(uploads, async (partialFile) => {
      const [size, md5] = await store.putContent(partialFile, object.content);
      await runAlone(() => commit(partialFile, object.bucket, object.key, object.metadata, md5));
      return { size, md5 };
    });
  store.copyObject = (fromBucket, fromKey, bucket, key, replacement) =>
    usePartialFile(uploads, (partialFile) =>
      runAlone(async () => {
        const source = await getMetadata(fromBucket, fromKey);
        const md5 = source.etag.replaceAll('"', '');
        const requiredETag = copyOnlyIf.getStore() ?? md5;
        // If the client retries the failed request, it gets 412, because the ETag of the source has changed.
        if (md5 !== requiredETag) throw new Error(`${fromKey} was replaced before it could be copied`);
        await copyFile(store.getResourcePath(fromBucket, fromKey, 'object'), partialFile);
        await commit(partialFile, bucket, key, replacement ?? source, md5);
        return getMetadata(bucket, key);
      }),
    );
  const remove = store.deleteObject.bind(store);
  store.deleteObject = (bucket, key) => runAlone(() => remove(bucket, key));
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
