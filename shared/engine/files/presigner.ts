/** Presigned URLs of objects in one bucket (AWS Signature Version 4 in the query string). */

import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { awsHost } from '#shared/engine/aws-host.ts';

export type SdkEnvironment = Readonly<Record<string, string | undefined>>;

export interface ToSign {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly expiresIn: number;
  readonly query?: Readonly<Record<string, string>>;
  /** Headers that the request must send with exactly these values. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Presigner {
  readonly #bucket: string;
  readonly #environment: SdkEnvironment;

  constructor(bucket: string, environment: SdkEnvironment) {
    this.#bucket = bucket;
    this.#environment = environment;
  }

  /** The origin of all signed URLs: `https://host`. */
  get origin(): string {
    return this.#address('').origin;
  }

  /** The value of the header `x-amz-copy-source` for an object. */
  sourceOf(key: string): string {
    return `${this.#bucket}/${key}`;
  }

  async sign({ method, key, expiresIn, query = {}, headers = {} }: ToSign): Promise<string> {
    const address = this.#address(key);
    const request = new HttpRequest({
      method,
      protocol: address.protocol,
      hostname: address.hostname,
      ...(address.port ? { port: Number(address.port) } : {}),
      path: address.pathname,
      query: { ...query },
      // The payload is unsigned, because the bytes do not exist yet when the URL is signed.
      headers: { host: address.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers },
    });
    const signed = await this.#signer().presign(request, {
      expiresIn,
      unhoistableHeaders: new Set(Object.keys(headers)),
    });
    const parameters = Object.entries(signed.query ?? {}).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value)).replace(/'/g, '%27')}`,
    );
    return `${address.origin}${address.pathname}?${parameters.join('&')}`;
  }

  /** Path style for custom endpoints (local runner, other S3-compatible stores), virtual-hosted style for AWS. */
  #address(key: string): URL {
    const endpoint = this.#environment['AWS_ENDPOINT_URL_S3'] ?? this.#environment['AWS_ENDPOINT_URL'];
    if (endpoint) return new URL(`/${this.#bucket}/${key}`, endpoint);
    return new URL(`https://${this.#bucket}.${awsHost('s3.dualstack', this.#region)}/${key}`);
  }

  get #region(): string {
    return this.#environment['AWS_REGION'] ?? 'us-east-1';
  }

  #signer(): SignatureV4 {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = this.#environment;
    return new SignatureV4({
      service: 's3',
      region: this.#region,
      uriEscapePath: false,
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
      },
      sha256: Sha256,
    });
  }
}
