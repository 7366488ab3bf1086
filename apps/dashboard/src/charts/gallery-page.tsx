import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../theme.css'
import '../components/components.css'
import './charts.css'
import { ChartGallery } from './chart-gallery.js'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ChartGallery />
  </StrictMode>,
)
