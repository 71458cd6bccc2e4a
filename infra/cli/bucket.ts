/** S3 client for operators: objects and their versions. Functions use presigned URLs, which need no client. */
import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  NotFound,
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
  readonly #name: string;
  #isVersioned: Promise<boolean> | undefined;

  /** Connects to the bucket. Takes endpoint, credentials and region from the environment of the process. */
  constructor(name: string) {
    const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3 = AWS_ENDPOINT_URL } = process.env;
    // Some S3-compatible stores do not support a separate host name for each bucket.
    this.#client = new S3Client({ forcePathStyle: AWS_ENDPOINT_URL_S3 !== undefined });
    this.#name = name;
  }

  /** Objects whose keys start with the prefix, in key order, in pages of at most 1,000. */
  async *pages(prefix = ''): AsyncGenerator<readonly StoredObject[]> {
    const list = paginateListObjectsV2({ client: this.#client }, { ...this.#bucket, Prefix: prefix });
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
    try {
      await this.#client.send(new HeadObjectCommand({ ...this.#bucket, Key: key }));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  /** Deletes an object. A versioned bucket keeps it as a noncurrent version. */
  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand({ ...this.#bucket, Key: key }));
  }

  /**
   * Version ids of the delete markers that hide an object. `undefined` if no version of the object is left, or if the
   * bucket is not versioned.
   */
  async markersOf(key: string): Promise<readonly string[] | undefined> {
    this.#isVersioned ??= this.#client
      .send(new GetBucketVersioningCommand(this.#bucket))
      .then(({ Status }) => Status !== undefined);
    if (!(await this.#isVersioned)) return undefined;
    // Each key is written only once, so one page of results contains all versions of the object.
    const found = await this.#client.send(new ListObjectVersionsCommand({ ...this.#bucket, Prefix: key }));
    const mine = (one: { readonly Key?: string | undefined }) => one.Key === key;
    if (!found.Versions?.some(mine)) return undefined;
    return (found.DeleteMarkers ?? []).filter(mine).flatMap(({ VersionId }) => VersionId ?? []);
  }

  /** Restores a deleted object by removing its delete markers. Idempotent. */
  async bringBack(key: string, markers: readonly string[]): Promise<void> {
    for (const VersionId of markers)
      await this.#client.send(new DeleteObjectCommand({ ...this.#bucket, Key: key, VersionId }));
  }

  get #bucket() {
    return { Bucket: this.#name };
  }
}
