import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/client.ts'
import { App } from './shell/app.tsx'
import './style/base.css'
import './style/controls.css'
import './style/forms.css'
import './style/shell.css'
import './style/lists.css'
import './style/search.css'
import './style/collect.css'
import './style/charts.css'
import './style/news.css'
import './style/watches.css'
import './style/channels.css'
import './style/account.css'
import './style/operator.css'
import './style/views.css'
import './style/wishes.css'
import './style/wish.css'
import './style/home.css'
import './style/brief.css'
import './style/over.css'
import './style/narrow.css'

/** Only temporary failures are retried automatically; each call counts towards the limit of the plan. */
const mayPass = (error: unknown) => error instanceof ApiError && (error.status === 0 || error.status >= 500)

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A lost connection is shown; calls do not wait for it silently.
      networkMode: 'always',
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && mayPass(error),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
