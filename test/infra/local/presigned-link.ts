/** Presigned links to the bucket of the assembly in `assembly.ts`, as a function creates them. */
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';

export interface Link {
  readonly key?: string;
  readonly bucket?: string;
  readonly query?: Record<string, string>;
  readonly signingDate?: Date;
  /** Signs the hash of an empty payload instead of `UNSIGNED-PAYLOAD`, which makes the link invalid. */
  readonly signPayload?: boolean;
}

/** A link that is valid for one minute, signed with a function's credentials. */
export async function presignedLink(
  environment: Readonly<Record<string, string>>,
  method: string,
  link: Link,
): Promise<string> {
  const { key = 'runs/7/trace.zip', bucket = 'rundown-artifacts', query = {}, signPayload = false } = link;
  const { signingDate = new Date() } = link;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN = '' } = environment;
  const { hostname, host, origin } = new URL(environment.AWS_ENDPOINT_URL_S3 ?? '');
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    uriEscapePath: false,
    sha256: Sha256,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN,
    },
  });
  const headers = { host, ...(signPayload ? {} : { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }) };
  const path = `/${bucket}/${key}`;
  const unsigned = new HttpRequest({ method, hostname, path, query, headers });
  const signed = await signer.presign(unsigned, { expiresIn: 60, signingDate });
  return `${origin}${path}?${new URLSearchParams(z.record(z.string(), z.string()).parse(signed.query))}`;
}
