/** Presigned URLs of objects in one bucket (AWS Signature Version 4 in the query string). */
import { type SdkEnvironment, SignedService, toHttpRequest } from './signed-service.ts';

export interface ToSign {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly expiresIn: number;
  readonly query?: Readonly<Record<string, string>>;
  /** Headers that the client must send with exactly these values. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Presigner {
  readonly #bucket: string;
  readonly #s3: SignedService;

  constructor(bucket: string, environment: SdkEnvironment) {
    this.#bucket = bucket;
    this.#s3 = new SignedService('s3', environment);
  }

  get origin(): string {
    return this.#address('').origin;
  }

  /** The value of the header `x-amz-copy-source` for an object. */
  sourceOf(key: string): string {
    return `${this.#bucket}/${key}`;
  }

  async sign({ method, key, expiresIn, query, headers = {} }: ToSign): Promise<string> {
    const address = this.#address(key);
    // The payload is unsigned, because the bytes do not exist yet when the URL is signed.
    const allHeaders = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers };
    const request = toHttpRequest(address, { method, headers: allHeaders, query });
    const unhoistableHeaders = new Set(Object.keys(headers));
    const signedRequest = await this.#s3.signer.presign(request, { expiresIn, unhoistableHeaders });
    const parameters = Object.entries(signedRequest.query ?? {}).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value)).replace(/'/g, '%27')}`,
    );
    return `${address.origin}${address.pathname}?${parameters.join('&')}`;
  }

  /**
   * The URL of an object. Path style for custom endpoints (local runner, other S3-compatible stores), virtual-hosted
   * style for AWS. Throws for a key that a URL would change, because `..` in it would lead to another object.
   */
  #address(key: string): URL {
    const { customEndpoint, publicHost } = this.#s3;
    const path = customEndpoint ? `/${this.#bucket}/${key}` : `/${key}`;
    const address = new URL(path, customEndpoint ?? `https://${this.#bucket}.${publicHost}`);
    if (address.pathname !== path) throw new Error(`${JSON.stringify(key)} is not the key of an object`);
    return address;
  }
}
