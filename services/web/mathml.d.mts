import type { Plugin } from 'vite'

/** Leaves out of KaTeX what makes HTML. */
export function mathML(): Plugin
