/** Types for the part of @20minutes/s3rver that infra/local uses. The package itself has no types. */
declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  import type { Readable } from 'node:stream';

  interface Metadata {
    /** The ETag in quotes. */
    readonly etag: string;
  }

  interface ListedObject {
    readonly key: string;
    readonly size: number;
    readonly lastModifiedDate: Date;
    readonly metadata: Metadata;
  }

  interface Store {
    /** `undefined` if there is no such bucket. */
    getBucket(bucket: string): Promise<object | undefined>;
    getResourcePath(bucket: string, key: string, resource: 'object'): string;
    getMetadata(bucket: string, key: string): Promise<Metadata>;
    /** Resolves when the content file is open. */
    getObject(bucket: string, key: string, options?: object): Promise<object | null>;
    putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
    /** Writes the content to the file at `objectPath`. Returns its size and MD5. */
    putContent(objectPath: string, content: Readable | Buffer): Promise<[number, string]>;
    /** Every upload calls this method, multipart uploads when they are completed. */
    putObject(object: {
      readonly bucket: string;
      readonly key: string;
      readonly content: Readable | Buffer;
      readonly metadata: object;
    }): Promise<{ readonly size: number; readonly md5: string }>;
    copyObject(
      fromBucket: string,
      fromKey: string,
      bucket: string,
      key: string,
      replacement: object | null,
    ): Promise<Metadata>;
    deleteObject(bucket: string, key: string): Promise<void>;
    /** In the order of the keys. */
    listObjects(
      bucket: string,
      options: {
        readonly prefix?: string | undefined;
        readonly startAfter?: string | undefined;
        readonly maxKeys: number;
      },
    ): Promise<{ readonly objects: readonly ListedObject[]; readonly isTruncated: boolean }>;
  }

  class S3rver {
    constructor(options: {
      directory: string;
      silent: boolean;
      vhostBuckets: boolean;
      allowMismatchedSignatures: boolean;
    });
    readonly store: Store;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }

  export = S3rver;
}
