/**
 * s3rver stores an object as three files and removes empty folders. This module serializes reads and writes, so that a
 * read sees size, ETag and content of the same version.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type S3rver from '@20minutes/s3rver';

type Store = S3rver['store'];

/** The source ETag that a conditional copy requires. */
export const copyOnlyIf = new AsyncLocalStorage<string>();

/** Makes the store serialize its reads and writes. `uploads`: a folder for incomplete uploads, on the same disk. */
export function accessOneAtATime(store: Store, uploads: string): void {
  let last: Promise<unknown> = Promise.resolve();
  const alone = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
  // `getObject` calls `getMetadata` while it holds the lock, so it needs the version that does not wait for it.
  const unguarded: Store = Object.create(store, { getMetadata: { value: store.getMetadata } });
  const getMetadata = unguarded.getMetadata.bind(unguarded);
  const getObject = store.getObject.bind(unguarded);
  store.getMetadata = (bucket, key) => alone(() => getMetadata(bucket, key));
  // The content file is open when this resolves. Later writes rename or unlink that file, but do not modify it.
  store.getObject = (bucket, key, options) => alone(() => getObject(bucket, key, options));
  const commit = async (partial: string, { bucket, key }: ObjectName, metadata: object, md5: string) => {
    const path = store.getResourcePath(bucket, key, 'object');
    await mkdir(dirname(path), { recursive: true });
    await rename(partial, path);
    await store.putMetadata(bucket, key, metadata, md5);
  };
  store.putObject = (object) =>
    withPartial(uploads, async (partial) => {
      const [size, md5] = await store.putContent(partial, object.content);
      await alone(() => commit(partial, object, object.metadata, md5));
      return { size, md5 };
    });
  store.copyObject = (fromBucket, fromKey, bucket, key, replacement) =>
    withPartial(uploads, (partial) =>
      alone(async () => {
        const source = await getMetadata(fromBucket, fromKey);
        const md5 = source.etag.replaceAll('"', '');
        const wanted = copyOnlyIf.getStore() ?? md5;
        // A retry of the request then reports that the object was replaced.
        if (md5 !== wanted) throw new Error(`${fromKey} was replaced before it could be copied`);
        await copyFile(store.getResourcePath(fromBucket, fromKey, 'object'), partial);
        await commit(partial, { bucket, key }, replacement ?? source, md5);
        return getMetadata(bucket, key);
      }),
    );
  const remove = store.deleteObject.bind(store);
  store.deleteObject = (bucket, key) => alone(() => remove(bucket, key));
}

interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

async function withPartial<Result>(uploads: string, act: (partial: string) => Promise<Result>): Promise<Result> {
  const partial = join(uploads, randomUUID());
  try {
    return await act(partial);
  } finally {
    await rm(partial, { force: true });
  }
}
