/** A DNS server on this machine that answers questions for TXT records over UDP (RFC 1035). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface DnsServer {
  /** The address with the port. */
  readonly server: string;
  /** The texts of the TXT records of each name. */
  readonly records: Map<string, readonly string[]>;
  /** Whether the server answers nothing. */
  isSilent: boolean;
}

const HEADER_BYTES = 12;
const TXT = 16;
const NO_SUCH_NAME = 3;
/** A pointer to the name of the question. */
const SAME_NAME = 0xc00c;
const PART_BYTES = 255;

/** Runs until the process ends. */
export async function dnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const records: DnsServer['records'] = new Map();
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.unref();
  const here: DnsServer = { server: `127.0.0.1:${socket.address().port}`, records, isSilent: false };
  socket.on('message', (message, { port, address }) => {
    if (!here.isSilent) socket.send(makeAnswer(message, records), port, address);
  });
  return here;
}

function makeAnswer(message: Buffer, records: DnsServer['records']): Buffer {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = message.subarray(HEADER_BYTES, at + 5);
  const type = message.readUInt16BE(at + 1);
  const texts = records.get(labels.join('.').toLowerCase());
  const answers = type === TXT ? (texts ?? []).map(makeRecord) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  message.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 + (texts ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return Buffer.concat([header, question, ...answers]);
}

function makeRecord(text: string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    const part = bytes.subarray(start, start + PART_BYTES);
    parts.push(Buffer.from([part.length]), part);
  }
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(SAME_NAME, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
