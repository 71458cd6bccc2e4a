/** S3 client for operators: objects and their versions. Functions use presigned URLs, which need no client. */
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** Last modified, in epoch milliseconds. */
  readonly storedAt: number;
  readonly eTag: string;
}

export class Bucket {
  readonly #client: S3Client;
  readonly #bucket: { readonly Bucket: string };
  #isVersioned: Promise<boolean> | undefined;

  /** Takes endpoint, credentials and region from the environment of the process. */
  constructor(name: string) {
    const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 = AWS_ENDPOINT_URL } = process.env;
    // Some S3-compatible stores support neither a separate host name for each bucket nor checksums after the content.
    this.#client = new S3Client({
      forcePathStyle: AWS_ENDPOINT_URL_S3 !== undefined,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    this.#bucket = { Bucket: name };
  }

  /** Objects whose keys start with the prefix, in key order after `after`, in pages of at most 1,000. */
  async *pages(prefix = '', after?: string): AsyncGenerator<readonly StoredObject[]> {
    const list = paginateListObjectsV2(
      { client: this.#client },
      { ...this.#bucket, Prefix: prefix, StartAfter: after },
    );
    for await (const { Contents = [] } of list) {
      yield Contents.map(({ Key = '', Size = 0, LastModified, ETag = '' }) => ({
        key: Key,
        bytes: Size,
        storedAt: LastModified?.getTime() ?? Number.NaN,
        eTag: ETag.replaceAll('"', ''),
      }));
    }
  }

  async has(key: string): Promise<boolean> {
    return (await this.readSize(key)) !== undefined;
  }

  async readSize(key: string): Promise<number | undefined> {
    try {
      return (await this.#client.send(new HeadObjectCommand({ ...this.#bucket, Key: key }))).ContentLength;
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  async open(key: string): Promise<{ readonly content: Readable; readonly type: string } | undefined> {
    try {
      const { Body, ContentType = '' } = await this.#client.send(new GetObjectCommand({ ...this.#bucket, Key: key }));
      if (!(Body instanceof Readable)) throw new Error(`The object store returned no stream for ${key}`);
      return { content: Body, type: ContentType };
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async store(
    key: string,
    object: { readonly content: Readable | Buffer; readonly bytes: number; readonly type: string },
  ): Promise<void> {
    const { content: Body, bytes: ContentLength, type: ContentType } = object;
    await this.#client.send(new PutObjectCommand({ ...this.#bucket, Key: key, Body, ContentLength, ContentType }));
  }

  /** Deletes an object. A versioned bucket keeps it as a noncurrent version. */
  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ ...this.#bucket, Key: key }));
  }

  /** The version ids of the markers. `undefined` if no version of the object is left, or if the bucket is not versioned. */
  async listDeleteMarkers(key: string): Promise<readonly string[] | undefined> {
    this.#isVersioned ??= this.#client
      .send(new GetBucketVersioningCommand(this.#bucket))
      .then(({ Status }) => Status !== undefined);
    if (!(await this.#isVersioned)) return undefined;
    // Files of runs are written only once, so one page of results contains all versions of the object.
    const listing = await this.#client.send(new ListObjectVersionsCommand({ ...this.#bucket, Prefix: key }));
    const isOfObject = (version: { readonly Key?: string | undefined }) => version.Key === key;
    if (!listing.Versions?.some(isOfObject)) return undefined;
    return (listing.DeleteMarkers ?? []).filter(isOfObject).flatMap(({ VersionId }) => VersionId ?? []);
  }

  /** Restores a deleted object by removing its delete markers. Idempotent. */
  async restore(key: string, markers: readonly string[]): Promise<void> {
    for (const VersionId of markers)
      await this.#client.send(new DeleteObjectCommand({ ...this.#bucket, Key: key, VersionId }));
  }
}
