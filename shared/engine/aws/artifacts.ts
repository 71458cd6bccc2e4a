/**
 * Artifacts in S3. Clients upload and download with short-lived presigned URLs. Only `open`, `range`, `textAt`, `put`
 * and `putInPieces` transfer files through a Lambda function.
 */

import { FILE_LIMITS } from './limits.ts';
import { Presigner, type ToSign } from './presigner.ts';
import { type SdkEnvironment, sendRepeatedly } from './signed-service.ts';

export interface ReadLink {
  readonly key: string;
  readonly contentType: string;
  readonly fileName: string;
}

/** The only types with which a file opens in the browser. None of them can run a script. */
export const INLINE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'video/mp4', 'video/webm'] as const;
export type InlineType = (typeof INLINE_TYPES)[number];

export interface StoredFile {
  readonly bytes: number;
  readonly contentType: string;
  /** The ETag without quotes. */
  readonly eTag: string;
}

interface PageRequest {
  readonly prefix: string;
  readonly after: string;
  readonly limit?: number | undefined;
}

interface ListedPage {
  /** The size of all objects of the page. */
  readonly bytes: number;
  /** The key after which the next page begins, `undefined` after the last page. */
  readonly continuesAfter: string | undefined;
}

type Request = Pick<ToSign, 'method' | 'key' | 'headers' | 'query'> & { readonly body?: Uint8Array };

export class Artifacts {
  readonly #presigner: Presigner;

  constructor(bucket: string, environment: SdkEnvironment) {
    this.#presigner = new Presigner(bucket, environment);
  }

  /** The origin of all links to artifacts, for the Content-Security-Policy of pages that show them. */
  get origin(): string {
    return this.#presigner.origin;
  }

  /** Accepts any uploads for an hour. The client's confirmation decides which one counts. `bytes`: the only size. */
  uploadUrl(key: string, bytes?: number): Promise<string> {
    const upload = { method: 'PUT', key, expiresIn: FILE_LIMITS.uploadUrlSeconds } as const;
    if (bytes === undefined) return this.#presigner.sign(upload);
    return this.#presigner.sign({ ...upload, headers: { 'content-length': String(bytes) } });
  }

  /** Valid for 15 minutes. It always starts a download, so that browsers never render an artifact. */
  readUrl(link: ReadLink): Promise<string> {
    return this.#signReading('attachment', link);
  }

  /** Like `readUrl`, but the file opens in the browser, with a type that cannot run scripts. */
  showUrl(link: ReadLink & { readonly contentType: InlineType }): Promise<string> {
    return this.#signReading('inline', link);
  }

  #signReading(disposition: 'attachment' | 'inline', { key, contentType, fileName }: ReadLink): Promise<string> {
    const query = {
      'response-content-disposition': `${disposition}; filename*=UTF-8''${encodeURIComponent(fileName.toWellFormed())}`,
      'response-content-type': contentType,
    };
    return this.#presigner.sign({ method: 'GET', key, query, expiresIn: FILE_LIMITS.readUrlSeconds });
  }

  /**
   * Streams a file. Returns `undefined` if it is missing. Throws if S3 refuses the request or does not respond.
   * Requires `artifacts: 'confirm'` or `'import'` in the declaration of the function, because without permission to
   * list objects, S3 responds with 403 for missing files.
   */
  async open(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return (await this.#ask({ method: 'GET', key }))?.body ?? undefined;
  }

  /** Reads the bytes from `start` (inclusive) to `end` (exclusive). Returns `undefined` if the file is missing. */
  async range(key: string, start: number, end: number): Promise<Uint8Array | undefined> {
    const answer = await this.#ask({ method: 'GET', key, headers: { range: `bytes=${start}-${end - 1}` } });
    return answer && new Uint8Array(await answer.arrayBuffer());
  }

  /** Overwrites an existing file. */
  async put(key: string, body: Uint8Array, contentType: string): Promise<void> {
    const answer = await this.#ask({ method: 'PUT', key, headers: { 'content-type': contentType }, body }, []);
    await answer?.body?.cancel();
  }

  /**
   * Stores a file whose bytes are made piece by piece, overwriting an existing one. Readers see the earlier file until
   * the new one is complete. If `make` writes nothing, nothing is stored. Returns the size in bytes. S3 removes the
   * parts of an interrupted upload (see the lifecycle rules of the bucket).
   */
  async putInPieces(
    key: string,
    contentType: string,
    make: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<number> {
    const eTags: string[] = [];
    let uploadId: string | undefined;
    const send = async (body: Uint8Array) => {
      uploadId ??= await this.#beginUpload(key, contentType);
      eTags.push(await this.#putPart(key, body, { uploadId, partNumber: String(eTags.length + 1) }));
    };
    let bytes = 0;
    let rest: Uint8Array[] = [];
    let restBytes = 0;
    await make(async (piece) => {
      bytes += piece.byteLength;
      rest.push(piece);
      restBytes += piece.byteLength;
      if (restBytes < FILE_LIMITS.partBytes) return;
      const buffer = Buffer.concat(rest);
      const end = buffer.length - (buffer.length % FILE_LIMITS.partBytes);
      rest = [buffer.subarray(end)];
      restBytes = buffer.length - end;
      for (let at = 0; at < end; at += FILE_LIMITS.partBytes)
        await send(buffer.subarray(at, at + FILE_LIMITS.partBytes));
    });
    const last = Buffer.concat(rest);
    if (uploadId === undefined) {
      if (last.length > 0) await this.put(key, last, contentType);
    } else {
      if (last.length > 0) await send(last);
      await this.#endUpload(key, uploadId, eTags);
    }
    return bytes;
  }

  async #beginUpload(key: string, contentType: string): Promise<string> {
    const headers = { 'content-type': contentType };
    const answer = await this.#ask({ method: 'POST', key, query: { uploads: '' }, headers }, []);
    const [, uploadId] = /<UploadId>([^<]+)</.exec((await answer?.text()) ?? '') ?? [];
    if (uploadId === undefined) throw new Error(`The artifact storage did not begin an upload of ${key}`);
    return uploadId;
  }

  async #putPart(key: string, body: Uint8Array, query: Readonly<Record<string, string>>): Promise<string> {
    const answer = await this.#ask({ method: 'PUT', key, query, body }, []);
    await answer?.body?.cancel();
    return answer?.headers.get('etag') ?? '';
  }

  async #endUpload(key: string, uploadId: string, eTags: readonly string[]): Promise<void> {
    const parts = eTags.map((eTag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${eTag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const answer = await this.#ask({ method: 'POST', key, query: { uploadId }, body }, []);
    // S3 may respond with 200 before it has finished, and then report an error in the body.
    const text = (await answer?.text()) ?? '';
    if (!text.includes('CompleteMultipartUploadResult'))
      throw new Error(`The artifact storage did not complete the upload of ${key}: ${text.slice(0, 500)}`);
  }

  /** Reads the beginning of the file of one of our links, `undefined` if that fails. Throws for any other URL. */
  async textAt(url: string, maxBytes: number): Promise<string | undefined> {
    if (new URL(url).origin !== this.origin) throw new Error(`${url} is not a link to an artifact`);
    try {
      const signal = AbortSignal.timeout(FILE_LIMITS.textMilliseconds);
      const answer = await fetch(url, { headers: { range: `bytes=0-${maxBytes - 1}` }, signal });
      if (answer.ok) return (await answer.text()).slice(0, maxBytes);
      await answer.body?.cancel();
      return undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns `undefined` if the file is missing. */
  async describe(key: string): Promise<StoredFile | undefined> {
    const answer = await this.#ask({ method: 'HEAD', key });
    if (!answer) return undefined;
    const header = (name: string) => answer.headers.get(name) ?? '';
    const eTag = header('etag').replaceAll('"', '');
    return { bytes: Number(header('content-length')), contentType: header('content-type'), eTag };
  }

  /** Returns `undefined` if the file is missing or access is denied. */
  async sizeOf(key: string): Promise<number | undefined> {
    const answer = await this.#ask({ method: 'HEAD', key }, [403, 404]);
    return answer && Number(answer.headers.get('content-length'));
  }

  /**
   * Lists objects whose keys begin with the prefix, in the order of their keys, from the first one after the key
   * `after`. S3 returns at most 1,000 in one request. Requires `artifacts: 'list'` in the declaration of the function.
   */
  async listPage({ prefix, after, limit = FILE_LIMITS.keysPerPage }: PageRequest): Promise<ListedPage> {
    const query = { 'list-type': '2', prefix, 'start-after': after, 'max-keys': String(limit) };
    const answer = await this.#ask({ method: 'GET', key: '', query }, []);
    const page = (await answer?.text()) ?? '';
    const bytes = [...page.matchAll(/<Size>(\d+)<\/Size>/g)].reduce((sum, [, size]) => sum + Number(size), 0);
    const isLast = !page.includes('<IsTruncated>true</IsTruncated>');
    return { bytes, continuesAfter: isLast ? undefined : [...page.matchAll(/<Key>([^<]*)<\/Key>/g)].at(-1)?.[1] };
  }

  /** Returns false if the object is missing or has another ETag. */
  async copy({ from, to, eTag }: { from: string; to: string; eTag: string }): Promise<boolean> {
    const source = { 'x-amz-copy-source': this.#presigner.sourceOf(from), 'x-amz-copy-source-if-match': eTag };
    const answer = await this.#ask({ method: 'PUT', key: to, headers: source }, [404, 412]);
    if (!answer) return false;
    // S3 may respond with 200 before the copy has finished, and then report an error in the body.
    const body = await answer.text();
    if (!body.includes('CopyObjectResult'))
      throw new Error(`The artifact storage did not copy ${from}: ${body.slice(0, 500)}`);
    return true;
  }

  /** Succeeds also if the object does not exist. */
  async remove(key: string): Promise<void> {
    await (await this.#ask({ method: 'DELETE', key }))?.body?.cancel();
  }

  /** Returns `undefined` for a status in `missingStatuses`. Throws if S3 refuses the request or does not respond. */
  async #ask(request: Request, missingStatuses: readonly number[] = [404]): Promise<Response | undefined> {
    const { method, key, headers = {}, body } = request;
    const url = await this.#presigner.sign({ ...request, expiresIn: FILE_LIMITS.readUrlSeconds });
    const answer = await sendRepeatedly(
      FILE_LIMITS,
      async (signal) => {
        const response = await fetch(url, { method, headers, signal, ...(body && { body: new Uint8Array(body) }) });
        if (isTemporary(response)) await response.body?.cancel();
        return response;
      },
      isTemporary,
    );
    if (answer.ok) return answer;
    await answer.body?.cancel();
    if (missingStatuses.includes(answer.status)) return undefined;
    throw new Error(`The artifact storage responded to ${method} ${key} with status ${answer.status}`);
  }
}

/** Whether a retry may succeed. With any other error status, S3 would refuse the same request again. */
const isTemporary = ({ status }: Response): boolean => status >= 500 || status === 429 || status === 408;
