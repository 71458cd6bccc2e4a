/** The part of @20minutes/s3rver that infra/local/s3.ts uses; the package has no types. */
declare module '@20minutes/s3rver' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  import type { Readable } from 'node:stream';

  interface Store {
    /** Answers size and MD5. */
    putContent(objectPath: string, content: Readable | Buffer): Promise<[number, string]>;
    /** All uploads end here. */
    putObject(object: {
      readonly bucket: string;
      readonly key: string;
    }): Promise<{ readonly size: number; readonly md5: string }>;
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
