import { defineConfig } from 'vite'

export default defineConfig({
  build: {
    target: 'es2022',
    assetsInlineLimit: 0, // the pages' policy lets nothing be inline
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev` beside `make run`. The server takes sessions from pages of its own host alone.
    proxy: {
      '^/(api|avatar|user_avatars|user_uploads|thumbnail|external_content|accounts|reset)': { target: 'http://localhost:8080', changeOrigin: false },
    },
  },
})
