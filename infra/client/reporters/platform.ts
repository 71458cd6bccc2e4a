/** The machine on which the tests run. */
import { readFileSync } from 'node:fs';
import { release } from 'node:os';

export const PLATFORM = {
  osName: process.platform,
  osVersion: readOsVersion(),
  browserName: null,
  browserVersion: null,
};

/** For example `Debian - 12`, which tells people more than the version of the kernel, or else that version. */
function readOsVersion(): string {
  try {
    const text = readFileSync('/etc/os-release', 'utf8');
    const name = /^NAME="?(\w+)/m.exec(text)?.[1];
    const version = /^VERSION_ID="?([\w.]+)/m.exec(text)?.[1];
    if (name && version) return `${name} - ${version}`;
  } catch {
    // Only Linux has this file.
  }
  return release();
}
